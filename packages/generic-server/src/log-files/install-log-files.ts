import type { Handler } from '@apiserver/apiserver-contracts';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';

/** Upstream: pkg/routes/logs.go */
const DIRECTORY = '/var/log';

/** Serves the logs of the machine at /logs. The handler is loaded by the first request. */
export function installLogFiles(mux: NonGoRestfulMux, directory = DIRECTORY): void {
  let loaded: Promise<Handler> | undefined;
  const handler: Handler = async (exchange) => {
    loaded ??= import('./log-files-handler.js').then(({ logFilesHandler }) => logFilesHandler(directory));
    return (await loaded)(exchange);
  };
  mux.handle('/logs', handler);
  mux.handlePrefix('/logs/', handler, { unlisted: true });
}
