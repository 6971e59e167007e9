import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * One package as `npm publish` sends it and `npm install` reads it: versions, tags, and the tarballs of one
 * publication.
 */
interface PackageDocument {
  readonly name: string;
  readonly versions: Readonly<Record<string, object>>;
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/** A version is published once, as on every registry. */
const conflict = { error: 'cannot publish over a previously published version' };

/**
 * A registry of npm packages in memory, on a free port of 127.0.0.1, until the scope ends. It speaks as much as
 * publishing and installing take. It tells npm to cache nothing: the next one has other packages under the same names.
 */
export class LocalRegistry implements AsyncDisposable {
  readonly #packages = new Map<string, PackageDocument>();
  readonly #tarballs = new Map<string, Buffer>();
  readonly #server = createServer((request, response) => {
    this.#respond(request, response).catch((error: unknown) => sendJson(response, 500, { error: String(error) }));
  });

  /** Resolves when it listens. */
  static async start(): Promise<LocalRegistry> {
    const registry = new LocalRegistry();
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  /** `http://127.0.0.1:PORT/` */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/`;
  }

  /** The packages with the version that each has as latest. */
  get latest(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Array.from(this.#packages.values(), ({ name, ...rest }) => [name, rest['dist-tags']['latest'] ?? '']),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '', this.url).pathname).slice(1);
    if (request.method === 'PUT') return this.#publish(response, JSON.parse(String(await buffer(request))));
    const found = this.#packages.get(path);
    const tarball = this.#tarballs.get(path);
    if (found !== undefined) sendJson(response, 200, found);
    else if (tarball !== undefined) response.setHeader('Cache-Control', 'no-store').end(tarball);
    else sendJson(response, 404, { error: 'not found' });
  }

  #publish(response: ServerResponse, sent: PackageDocument): void {
    const { _attachments: attachments, ...document } = sent;
    const known = this.#packages.get(sent.name);
    if (Object.keys(sent.versions).some((version) => known?.versions[version] !== undefined)) {
      sendJson(response, 409, conflict);
      return;
    }
    for (const [file, { data }] of Object.entries(attachments)) {
      this.#tarballs.set(`${sent.name}/-/${file}`, Buffer.from(data, 'base64'));
    }
    this.#packages.set(sent.name, {
      ...document,
      versions: { ...known?.versions, ...sent.versions },
      'dist-tags': { ...known?.['dist-tags'], ...sent['dist-tags'] },
      _attachments: {},
    });
    sendJson(response, 201, { ok: true });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}
