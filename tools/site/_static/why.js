// `talos-gpu why` in the browser, over the table that tools/site/symptom_table.py writes: the same words, phrases and order as in
// constructs_lib/symptoms/phrase_index.py and log_search.py. tests/site/test_why.py compares the answers.

const STRENGTHS = ["sure", "likely", "possible"];
const MOST_OF_A_FRAGMENT = 10;
const CARD = /pci:[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?/g;
const ESCAPE = /(?:\x1b|\\+u001b|\\+x1b|\\+033|\^\[)\[[0-9;?]*[a-z]|\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbfv])?/g;
const WORD = /[a-z_]+|[0-9]+/g;
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/; // of str.splitlines

const wordsOf = (line) => line.toLowerCase().replace(CARD, "pci ").replace(ESCAPE, " ").match(WORD) ?? [];

function stands(parts, text) {
  let start = 0;
  for (const part of parts) {
    start = text.indexOf(part, start);
    if (start < 0) return false;
    start += part.length - 1;
  }
  return true;
}

const better = (one, other) => (STRENGTHS.indexOf(other) < STRENGTHS.indexOf(one) ? other : one);

// The symptoms for which `test` takes a phrase, with the surest strength and the greatest weight of these phrases. Of `explained`
// lines, which another symptom has, a general symptom counts none.
function matched(symptoms, test, explained = new Set(), score = (weight) => weight) {
  const matches = new Map();
  for (const [order, symptom] of symptoms.entries()) {
    for (const [strength, weight, parts] of symptom.phrases) {
      const lines = test(parts).filter((line) => !symptom.general || !explained.has(line));
      if (!lines.length) continue;
      const match = matches.get(symptom.name) ?? { symptom, order, strength, score: 0, lines: new Set() };
      match.strength = better(match.strength, strength);
      match.score = Math.max(match.score, score(weight, parts));
      for (const line of lines) match.lines.add(line);
      matches.set(symptom.name, match);
    }
  }
  return ranked(matches);
}

// The matches, the best first. A rule's own words are one with a symptom that names the rule.
function ranked(matches) {
  const named = new Map();
  for (const match of matches.values()) {
    for (const rule of match.symptom.rules) if (match.symptom.name !== rule && !named.has(rule)) named.set(rule, match);
  }
  for (const [rule, match] of named) {
    const own = matches.get(rule);
    if (!own) continue;
    matches.delete(rule);
    match.strength = better(match.strength, own.strength);
    match.score = Math.max(match.score, own.score);
  }
  return [...matches.values()].sort(
    (one, other) => STRENGTHS.indexOf(one.strength) - STRENGTHS.indexOf(other.strength) || other.score - one.score || other.lines.size - one.lines.size || one.order - other.order,
  );
}

// What `talos-gpu why` answers to a line of a log or a part of it, or to several lines: the symptoms, the surest first.
export function why({ symptoms, states }, log) {
  if (states.includes(log.trim().replace(/^Init:/, "").toLowerCase())) return [];
  const texts = log.split(LINE_ENDS).map((line) => ` ${wordsOf(line).join(" ")} `);
  const linesOf = (parts) => texts.flatMap((text, line) => (stands(parts, text) ? [line] : []));
  const special = matched(symptoms.filter((each) => !each.general), linesOf);
  const found = matched(symptoms, linesOf, new Set(special.flatMap((match) => [...match.lines])));
  if (found.length) return found;
  const fragment = ` ${wordsOf(log).join(" ")} `;
  const share = (_, parts) => fragment.length / parts.reduce((sum, part) => sum + part.length, 0);
  const likely = matched(symptoms, (parts) => (parts.some((part) => part.includes(fragment)) ? [0] : []), new Set(), share);
  return likely.length <= MOST_OF_A_FRAGMENT ? likely : [];
}
