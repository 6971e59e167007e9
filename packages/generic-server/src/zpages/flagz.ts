import type { Handler } from '@apiserver/apiserver-contracts';
import { zPageHandler } from './z-page-handler.js';
import type { ZPagesOptions } from './z-pages-options.js';

/** Serves the values of all flags. Upstream: k8s.io/apiserver/pkg/server/flagz */
export function flagzHandler(options: ZPagesOptions, flags: () => Readonly<Record<string, string>>): Handler {
  const sorted = () => Object.entries(flags()).sort(([a], [b]) => (a < b ? -1 : 1));
  return zPageHandler(
    {
      kind: 'Flagz',
      text: (delimiter) =>
        sorted()
          .map(([name, value]) => `${name}${delimiter}${value}\n`)
          .join(''),
      fields: () => ({ flags: Object.fromEntries(sorted()) }),
    },
    options,
  );
}
