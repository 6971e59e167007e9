import type { Handler } from '@apiserver/apiserver-contracts';
import type { VersionInfo } from '@apiserver/component-base/version';
import type { ApiContainerOptions } from '@apiserver/endpoints-installer';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';

/** The pages that tell what a process is and by which flags it runs. */
export interface ZPagesConfig {
  readonly statusz: boolean;
  /** The values of all flags by name; undefined: there is no /flagz. */
  readonly flags: (() => Readonly<Record<string, string>>) | undefined;
}

/** Dependencies of the pages. */
export interface ZPagesOptions {
  readonly config: {
    readonly cbor?: ApiContainerOptions['cbor'];
    /** Milliseconds since the epoch. */
    readonly now: () => number;
    /** In [0, 1). */
    readonly random: () => number;
    readonly version: VersionInfo;
    readonly zpages: ZPagesConfig;
  };
  readonly metrics: RequestMetrics;
  /** The start of the process, in milliseconds since the epoch. */
  readonly processStart: number;
  /** All paths of the server. */
  readonly listedPaths: () => readonly string[];
}

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
