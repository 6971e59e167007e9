// Bundles the binary: one file for what every start needs, chunks for what is loaded on first use. Hundreds of small
// modules cost a start several times what the few files cost.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { root } from './build-stale.mjs';

/** Another folder can be named, to measure two builds side by side. */
const outdir = process.argv[2] ?? `${root}packages/kube-apiserver/dist/bundle`;

/**
 * Importing node:http as a module reads all its exports, and one of them loads Node's whole fetch: 25 ms of every start.
 * As a plain object nothing is read but what is used.
 *
 * @type {import('esbuild').Plugin}
 */
const lazyHttp = {
  name: 'lazy-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, () => ({ path: 'node:http', namespace: 'builtin' }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { 'kube-apiserver': 'packages/kube-apiserver/src/main.ts' },
  conditions: ['@apiserver/source'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Names stay, so that a stack trace in a log says something.
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'external',
  // It brings native code, which has to be found beside it.
  external: ['lmdb'],
  plugins: [lazyHttp],
  // CommonJS libraries ask for Node's own modules by require.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  logLevel: 'warning',
});
