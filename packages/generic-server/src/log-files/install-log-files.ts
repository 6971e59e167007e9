import { loadedHandler } from '../mux/loaded-handler.js';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';

/** Upstream: pkg/routes/logs.go */
const DIRECTORY = '/var/log';

/** Serves the logs of the machine at /logs. The handler is loaded by the first request. */
export function installLogFiles(mux: NonGoRestfulMux, directory = DIRECTORY): void {
  const load = async () => (await import('./log-files-handler.js')).logFilesHandler(directory);
  const handler = loadedHandler(load);
  mux.handle('/logs', handler);
  mux.handlePrefix('/logs/', handler, { unlisted: true });
}
