#!/usr/bin/env node
// Compiled code is kept between starts, in a folder that only this user can write to.
import { createRequire, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

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

const directory = cacheDirectory();
if (directory !== undefined) enableCompileCache(directory);
const { main } = createRequire(import.meta.url)('../dist/bundle/kube-apiserver.cjs');
await main(process.argv.slice(2));
