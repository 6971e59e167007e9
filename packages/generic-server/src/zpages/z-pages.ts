import { loadedHandler } from '../mux/loaded-handler.js';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';
import type { ZPagesOptions } from './z-pages-options.js';

/** Serves the pages that the config has. They are loaded by the first request. */
export function installZPages(mux: NonGoRestfulMux, options: ZPagesOptions): void {
  const { flags, statusz } = options.config.zpages;
  if (flags !== undefined) {
    const load = () => import('./flagz.js').then(({ flagzHandler }) => flagzHandler(options, flags));
    mux.handle('/flagz', loadedHandler(load));
  }
  if (!statusz) return;
  const load = () => import('./statusz.js').then(({ statuszHandler }) => statuszHandler(options));
  mux.handle('/statusz', loadedHandler(load));
}
