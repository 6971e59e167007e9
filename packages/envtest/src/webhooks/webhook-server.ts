import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { newStandAloneIdentity } from '@apiserver/bootstrap-pki';
import { ControlPlaneError } from '@apiserver/test-powers';
import type { WebhookServer } from '../control-plane.js';
import { TemporaryFolder } from '../powers/temporary-folder.js';

/** A handler of node:http, such as an express app. */
type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

const ABSENT =
  'no webhooks are served: pass a handler to plane.webhookServer.serve(), or the option webhookServer to startControlPlane';

/**
 * Listens before the plane knows its configurations, so that no other process can take the port. Until `serve`, every
 * review gets 500 with a message for the author of the test.
 */
export class LocalWebhookServer implements WebhookServer, AsyncDisposable {
  readonly url: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  readonly #server: Server;
  readonly #handler: { current: RequestListener };
  #folder: TemporaryFolder | undefined = undefined;

  private constructor(server: Server, identity: Identity, handler: { current: RequestListener }) {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new ControlPlaneError('the webhook server has no port');
    this.#server = server;
    this.#handler = handler;
    this.url = `https://127.0.0.1:${address.port}`;
    this.authority = identity.authority;
    this.certificate = identity.certificate;
    this.key = identity.key;
  }

  static async start(now: Date): Promise<LocalWebhookServer> {
    const made = newStandAloneIdentity({ dnsNames: ['localhost'], addresses: ['127.0.0.1', '::1'] }, now);
    const identity = { authority: made.authority, ...made.serving };
    const handler = {
      current: (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(500, { 'content-type': 'text/plain' }).end(ABSENT),
    };
    const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) =>
      handler.current(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    return new LocalWebhookServer(server, identity, handler);
  }

  serve(handler: RequestListener): void {
    this.#handler.current = handler;
  }

  certificateFolder(): string {
    if (this.#folder === undefined) {
      this.#folder = new TemporaryFolder();
      writeFileSync(join(this.#folder.path, 'tls.crt'), this.certificate, { mode: 0o600 });
      writeFileSync(join(this.#folder.path, 'tls.key'), this.key, { mode: 0o600 });
      writeFileSync(join(this.#folder.path, 'ca.crt'), this.authority, { mode: 0o600 });
    }
    return this.#folder.path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#folder?.[Symbol.dispose]();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

interface Identity {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}
