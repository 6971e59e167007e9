import type { Handler } from '@apiserver/apiserver-contracts';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';
import type { ZPagesOptions } from './z-pages-options.js';

/** Serves the pages that the config has. They are loaded by the first request. */
export function installZPages(mux: NonGoRestfulMux, options: ZPagesOptions): void {
  const { flags, statusz } = options.config.zpages;
  if (flags !== undefined) {
    const load = () => import('./flagz.js').then(({ flagzHandler }) => flagzHandler(options, flags));
    mux.handle('/flagz', loadedOnce(load));
  }
  if (!statusz) return;
  const load = () => import('./statusz.js').then(({ statuszHandler }) => statuszHandler(options));
  mux.handle('/statusz', loadedOnce(load));
}

function loadedOnce(load: () => Promise<Handler>): Handler {
  let loaded: Promise<Handler> | undefined;
  return async (exchange) => {
    loaded ??= load();
    return (await loaded)(exchange);
  };
}
