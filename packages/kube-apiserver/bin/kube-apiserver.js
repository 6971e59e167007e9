#!/usr/bin/env node
// CommonJS, as the bundle is: Node's loader of modules would take a fortieth of a start.
require('./required-node.js')('kube-apiserver');
const { join } = require('node:path');
const { Bundle } = require('../dist/bundle/loader.cjs');

const directory = join(__dirname, '../dist/bundle/');
const entry = 'kube-apiserver.cjs';

/**
 * For a Node that the bundle has no bytecode for: what it compiles is kept between starts, in a folder that only this user
 * can write to. Deno keeps nothing.
 */
function requireCompiling() {
  const cache = cacheDirectory();
  if (cache !== undefined) require('node:module').enableCompileCache?.(cache);
  return require(`${directory}${entry}`);
}

/** Undefined for a user without a home, who has to do without. */
function cacheDirectory() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  if (NODE_COMPILE_CACHE) return NODE_COMPILE_CACHE;
  try {
    return join(XDG_CACHE_HOME || join(require('node:os').homedir(), '.cache'), 'apiserver-js');
  } catch {
    return undefined;
  }
}

const bundle = new Bundle(directory);
const { main } = bundle.hasBytecode(entry) ? bundle.load(entry) : requireCompiling();
main(process.argv.slice(2), join(directory, 'first-objects.json'), () => bundle.setServingFlags());
