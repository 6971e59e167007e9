import { expect, test } from 'vitest';
import { importsOf } from './imports.ts';

test('finds every form of import and skips comments', () => {
  const source = [
    `// import { no } from 'comment';`,
    `/**\n * import { no } from 'docstring';\n */`,
    `import { a, type B } from 'named';`,
    `import type { C } from 'type-only';`,
    `import {\n  d,\n  e,\n} from './lines.js';`,
    `import * as f from 'node:tls';`,
    `import 'side-effect';`,
    `export { g } from './re-export.js';`,
    `export const from = 'not an import';`,
    `const h = await import('lazy');`,
  ].join('\n');
  expect(importsOf(source)).toEqual([
    { specifier: 'named', typeOnly: false, names: '{ a, type B } ', dynamic: false },
    { specifier: 'type-only', typeOnly: true, names: '{ C } ', dynamic: false },
    { specifier: './lines.js', typeOnly: false, names: '{\n  d,\n  e,\n} ', dynamic: false },
    { specifier: 'node:tls', typeOnly: false, names: '* as f ', dynamic: false },
    { specifier: './re-export.js', typeOnly: false, names: '{ g } ', dynamic: false },
    { specifier: 'side-effect', typeOnly: false, names: '', dynamic: false },
    { specifier: 'lazy', typeOnly: false, names: '', dynamic: true },
  ]);
});
