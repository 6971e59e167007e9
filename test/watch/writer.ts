import type { AdminClient } from '../harness/admin-client.ts';
import type { Write } from './history.ts';
import type { Random } from './random.ts';
import { type ReceivedObject, type Resource, seenOf } from './resources.ts';
import type { ClientSource } from './restarting-server.ts';

const colours = ['red', 'green', 'blue'] as const;
const names = 8;

/** Responses to the writers of one resource. */
export class Acknowledged {
  readonly writes: Write[] = [];
  readonly deletedUids: string[] = [];
  readonly #sent: { readonly revision: number; readonly at: number }[] = [];
  newest = 0;

  /** `sentAt`: when the write was sent, in milliseconds. */
  add(object: ReceivedObject, sentAt: number): void {
    const seen = seenOf(object);
    this.writes.push({ ...seen, deleted: false });
    this.#sent.push({ revision: seen.revision, at: sentAt });
    this.newest = Math.max(this.newest, seen.revision);
  }

  /** A moment at which the revision was not there yet, as late as is known: before it or an older one was asked for. */
  notBefore(revision: number): number {
    return this.#sent.reduce((latest, sent) => (sent.revision <= revision ? Math.max(latest, sent.at) : latest), 0);
  }
}

export interface WriterOptions {
  readonly server: ClientSource;
  readonly resource: Resource;
  readonly random: Random;
  readonly acknowledged: Acknowledged;
  /** Bytes by which objects are larger than they have to be. */
  readonly padding?: number;
}

/** Creates, updates, patches and deletes the few objects that all writers share, until it is stopped. */
export class Writer {
  readonly #server: ClientSource;
  readonly #resource: Resource;
  readonly #random: Random;
  readonly #acknowledged: Acknowledged;
  readonly #padding: string;
  #count = 0;

  constructor({ server, resource, random, acknowledged, padding = 0 }: WriterOptions) {
    this.#server = server;
    this.#resource = resource;
    this.#random = random;
    this.#acknowledged = acknowledged;
    this.#padding = 'x'.repeat(padding);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      using client = await this.#server.client();
      // Writes in progress when the server ended may be stored or not.
      const broken = (error: unknown) => error;
      while (!signal.aborted && !client.session.destroyed) {
        if ((await this.#write(client).catch(broken)) !== undefined) break;
      }
    }
  }

  /** The last write of all, which every selector sees. */
  async mark(client: AdminClient): Promise<number> {
    await client.request('DELETE', `${this.#resource.path}/object-0`).then(({ body }) => this.#noteDeletion(body));
    const body = { ...this.#body('object-0'), metadata: { name: 'object-0', labels: { colour: 'red' } } };
    await this.#send(client, 'POST', this.#resource.path, body);
    return this.#acknowledged.newest;
  }

  async #write(client: AdminClient): Promise<void> {
    const name = `object-${this.#random.below(names)}`;
    const path = `${this.#resource.path}/${name}`;
    const body = this.#body(name);
    const action = this.#random.next();
    if (action < 0.25) return this.#send(client, 'POST', this.#resource.path, body);
    if (action < 0.4) return client.request('DELETE', path).then(({ body }) => this.#noteDeletion(body));
    if (action < 0.7) return this.#send(client, 'PATCH', path, body);
    const current = await client.request('GET', path);
    if (current.status !== 200) return this.#send(client, 'POST', this.#resource.path, body);
    const { resourceVersion }: ReceivedObject['metadata'] = JSON.parse(current.body).metadata;
    return this.#send(client, 'PUT', path, { ...body, metadata: { ...body.metadata, resourceVersion } });
  }

  /** No two are alike, so that every accepted write is a new revision. */
  #body(name: string) {
    this.#count += 1;
    const { apiVersion, kind } = this.#resource;
    const padding = this.#padding === '' ? {} : { padding: this.#padding };
    const data = { count: String(this.#count), nonce: String(this.#random.next()), ...padding };
    return { apiVersion, kind, metadata: { name, labels: { colour: this.#random.of(colours) } }, data };
  }

  async #send(client: AdminClient, method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<void> {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const sentAt = Date.now();
    const response = await client.request(method, path, body, headers);
    if (response.status === 200 || response.status === 201) this.#acknowledged.add(JSON.parse(response.body), sentAt);
  }

  /** A ConfigMap's deletion gets a Status, which has the uid but no revision. */
  #noteDeletion(body: string): void {
    const { status, details } = JSON.parse(body);
    if (status === 'Success') this.#acknowledged.deletedUids.push(details.uid);
  }
}
