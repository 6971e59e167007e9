import { request } from 'node:https';

/** What became of asking a component how it is. */
export interface ProbeResult {
  readonly healthy: boolean;
  /** Its answer, or what went wrong. */
  readonly message: string;
}

/** Asks the component that listens on this port of the host. Never throws for what the component does. */
export type Probe = (port: number, signal: AbortSignal) => Promise<ProbeResult>;

const HOST = '127.0.0.1';
const TIMEOUT_MILLISECONDS = 20_000;
/** Bytes of an answer that are looked at. */
const MAX_ANSWER = 10 * 1024;

/**
 * GET /healthz by HTTPS, whatever certificate the component has: it is on this very host. Redirects are not followed.
 * Upstream: pkg/registry/core/componentstatus/validator.go and pkg/probe/http
 */
export const probeComponent: Probe = (port, signal) => {
  const url = `https://${HOST}:${port}/healthz`;
  return new Promise((resolve) => {
    const failed = (cause: string) => resolve({ healthy: false, message: `Get "${url}": ${cause}` });
    const asked = request(url, { rejectUnauthorized: false, agent: false, signal, timeout: TIMEOUT_MILLISECONDS });
    asked.on('timeout', () => asked.destroy(new Error('context deadline exceeded')));
    asked.on('error', (error: NodeJS.ErrnoException) => failed(causeOf(error, port)));
    asked.on('response', (response) => {
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
    asked.end();
  });
};

function causeOf(error: NodeJS.ErrnoException, port: number): string {
  return error.code === 'ECONNREFUSED' ? `dial tcp ${HOST}:${port}: connect: connection refused` : error.message;
}
