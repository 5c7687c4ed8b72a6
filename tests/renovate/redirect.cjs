// Every request of Renovate goes to the server of tests/renovate_registries.py: https://HOST/PATH becomes $REGISTRIES/HOST/PATH.
const http = require("node:http");
const https = require("node:https");

https.request = (url, options, callback) => {
  const target = new URL(`/${url.host}${url.pathname}${url.search}`, process.env.REGISTRIES);
  return http.request(target, { ...options, agent: undefined, protocol: "http:" }, callback);
};
