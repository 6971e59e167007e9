// Releases all packages under one version: npm run release -- version BUMP, then npm run release -- publish
import './required-node.mjs';
import { build } from './build-stale.mjs';
import { runLerna } from './release/lerna.mjs';

const usage = `npm run release -- version BUMP
  gives all packages the next version (major, minor, patch, prerelease, or the version itself), commits, tags and pushes
npm run release -- publish
  builds, and publishes every package whose version the registry does not have
Further arguments go to lerna: --no-push, --registry=URL, --dist-tag=next …`;

/** @type {Readonly<Record<string, (args: readonly string[]) => Promise<number>>>} */
const commands = {
  version: (args) => runLerna(['version', ...args]),
  publish: (args) => build(() => runLerna(['publish', 'from-package', ...args])),
};

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  console.error(usage);
  process.exitCode = 2;
} else {
  process.exitCode = await command(args);
}
