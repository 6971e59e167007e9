// Gives every entry point of the built packages a first import: on a Node that is too old, it says so in one line. An
// old Node gets that far only if it can parse all imports of an entry point. So `using` is compiled to older syntax.
// (The compiler would do that for an older target, but TypeScript 7.0 then breaks classes that have an instance of
// themselves.)
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { root } from './build-stale.mjs';

/** @typedef {{ name: string, engines: { node: string }, exports: Record<string, { default: string }> }} Manifest */

const packages = join(root, 'packages');
const folders =
  process.argv.length > 2 ? process.argv.slice(2) : readdirSync(packages).map((name) => join(packages, name));
for (const folder of folders) guard(folder);

/** @param {string} folder of a package; guarding it twice changes nothing */
function guard(folder) {
  /** @type {Manifest} */
  const { name, engines, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // A build that was interrupted leaves folders of its bundle, some of which are named like files.
  for (const file of globSync('dist/**/*.js', { cwd: folder, exclude: ['dist/bundle*/**'] })) lower(join(folder, file));
  const guardFile = join(folder, 'dist/required-node.js');
  writeFileSync(guardFile, requiredNode(name, engines.node.replace('>=', '')));
  const targets = Object.values(exports).flatMap((conditions) =>
    globSync(conditions.default.replace('*', '**/*'), { cwd: folder }),
  );
  // Bundles have a guard of their own.
  for (const target of targets.filter((file) => file.endsWith('.js'))) {
    const entry = join(folder, target);
    const path = relative(dirname(entry), guardFile).replaceAll('\\', '/');
    const first = `import '${path.startsWith('.') ? path : `./${path}`}'; `;
    const code = readFileSync(entry, 'utf8');
    // On the line that is there, so that source maps still tell the right ones.
    if (!code.startsWith(first)) writeFileSync(entry, first + code);
  }
}

/**
 * Statements of the language that Node has since 24. Source maps of the few files that have some are given up.
 *
 * @param {string} file
 */
function lower(file) {
  const code = readFileSync(file, 'utf8');
  if (!/(?:^|\()\s*(?:await )?using \w/m.test(code)) return;
  writeFileSync(file, transformSync(code, { target: 'esnext', supported: { using: false } }).code);
}

/**
 * The module that throws. An importer can catch it; if nothing does, its message alone is printed.
 *
 * @param {string} name
 * @param {string} version
 */
function requiredNode(name, version) {
  return `// Written by "npm run build", in the language of any Node.
const { process } = globalThis;
const node = process?.versions?.node;
if (node !== undefined && Number.parseInt(node, 10) < ${version}) {
  const error = new Error(\`${name} needs Node ${version} or later; this is Node \${node}\`);
  process.on('uncaughtExceptionMonitor', (uncaught) => {
    if (uncaught !== error) return;
    process.stderr.write(\`\${error.message}\\n\`);
    process.exit(1);
  });
  throw error;
}
`;
}
