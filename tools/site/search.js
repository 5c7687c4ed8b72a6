// Parts of the search of Sphinx, which embeds this file.

// The words of a query. A number of two digits or more gets a letter, as in the index: conf.py.
splitQuery = (query) => query.split(/[^\p{Letter}\p{Number}_]+/gu).filter(Boolean).map((word) => word.replace(/^[0-9]{2,}$/, "n$&"));

// A phrase of the index leads to the top of its page, as the words of the page do, so that a page is one result.
// A rule or a symptom with the words in its text comes before other such pages.
Scorer.score = (result) => {
  const [page, , anchor, , score] = result;
  if (!/^(rules|symptoms)-/.test(page)) return score;
  if (anchor.startsWith("#index-")) result[2] = "";
  return score === Scorer.term ? score + 1 : score;
};
