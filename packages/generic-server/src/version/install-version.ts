import { Buffer } from 'node:buffer';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { VersionInfo } from '@apiserver/component-base/version';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';
import { installWebService } from '../mux/web-service.js';

/** Serves GET /version. Upstream: k8s.io/apiserver/pkg/server/routes/version.go */
export function installVersion(mux: NonGoRestfulMux, info: VersionInfo, logger: Logger): void {
  const body = Buffer.from(JSON.stringify(info, null, 2));
  const mediaType = 'application/json';
  installWebService(mux, {
    path: '/version',
    mediaType,
    consumed: [mediaType],
    logger,
    serve: ({ responseHeaders }) => {
      responseHeaders.set('content-type', mediaType);
      return { type: 'bytes', status: 200, body };
    },
  });
}
