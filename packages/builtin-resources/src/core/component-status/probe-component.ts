import { request } from 'node:https';

/** The result of a probe. */
export interface ProbeResult {
  readonly healthy: boolean;
  /** The component's response, or the error. */
  readonly message: string;
}

/** Probes the component on this port of the host. Never throws for a failure of the component. */
export type Probe = (port: number, signal: AbortSignal) => Promise<ProbeResult>;

const HOST = '127.0.0.1';
const TIMEOUT_MS = 20_000;
/** Maximum size of a response. */
const MAX_ANSWER = 10 * 1024;

/**
 * Sends GET /healthz by HTTPS. Accepts any certificate, because the component is on the same host. Does not follow
 * redirects.
 * Upstream: pkg/registry/core/componentstatus/validator.go and pkg/probe/http
 */
export const probeComponent: Probe = (port, signal) => {
  const url = `https://${HOST}:${port}/healthz`;
  return new Promise((resolve) => {
    const failed = (cause: string) => resolve({ healthy: false, message: `Get "${url}": ${cause}` });
    const sent = request(url, { rejectUnauthorized: false, agent: false, signal, timeout: TIMEOUT_MS });
    sent.on('timeout', () => sent.destroy(new Error('context deadline exceeded')));
    sent.on('error', (error: NodeJS.ErrnoException) => failed(causeOf(error, port)));
    sent.on('response', (response) => {
      const { statusCode = 0 } = response;
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (body.length < MAX_ANSWER) body += chunk;
      });
      response.on('error', (error) => failed(error.message));
      response.on('end', () => {
        const healthy = statusCode >= 200 && statusCode < 400;
        resolve({ healthy, message: healthy ? body : `HTTP probe failed with statuscode: ${statusCode}` });
      });
    });
    sent.end();
  });
};

function causeOf(error: NodeJS.ErrnoException, port: number): string {
  return error.code === 'ECONNREFUSED' ? `dial tcp ${HOST}:${port}: connect: connection refused` : error.message;
}
