#!/usr/bin/env node
import { createRequire, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const directory = join(import.meta.dirname, '../dist/bundle/');
const require = createRequire(directory);
const entry = 'kube-apiserver.cjs';

/**
 * For a Node that the bundle has no bytecode for: what it compiles is kept between starts, in a folder that only this user
 * can write to.
 */
function requireCompiling() {
  const cache = cacheDirectory();
  if (cache !== undefined) enableCompileCache(cache);
  return require(`./${entry}`);
}

/** Undefined for a user without a home, who has to do without. */
function cacheDirectory() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
  if (NODE_COMPILE_CACHE) return NODE_COMPILE_CACHE;
  try {
    return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'apiserver-js');
  } catch {
    return undefined;
  }
}

const { Bundle } = require('./loader.cjs');
const bundle = new Bundle(directory);
const { main } = bundle.hasBytecode(entry) ? bundle.load(entry) : requireCompiling();
await main(process.argv.slice(2));
