import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, type StartOptions, startApiServer } from '../harness/api-server.ts';

/**
 * A request line: a method and a path. The method may be a kind of patch (`MERGE /api/…`), and `+yaml` selects the
 * encoding of the body.
 */
export type RequestLine = string;

/** One line of a table: its subject, the request with its body, and the response. */
export type Line = readonly [about: string, request: RequestLine, body: unknown, summary: string];

const patches: Readonly<Record<string, string>> = {
  JSON: 'application/json-patch+json',
  MERGE: 'application/merge-patch+json',
  STRATEGIC: 'application/strategic-merge-patch+json',
  APPLY: 'application/apply-patch+yaml',
};

/** As much of a response as the tables look at. */
interface ResponseBody {
  readonly kind?: string;
  readonly status?: unknown;
  readonly reason?: string;
  readonly message?: string;
  readonly [member: string]: unknown;
}

/** A server and requests to it, in order. */
export class Conversation implements AsyncDisposable {
  readonly #server: ApiServer;
  readonly #client: AdminClient;

  private constructor(server: ApiServer) {
    this.#server = server;
    this.#client = new AdminClient(server.kubeconfig);
  }

  static async start(options: StartOptions = {}): Promise<Conversation> {
    return new Conversation(await startApiServer(options));
  }

  /** The response as one text: code, reason and message of a refusal; a line for each warning. */
  async summary(request: RequestLine, body?: unknown): Promise<string> {
    const { status, warnings, json } = await this.#send(request, body);
    const refused = json.kind === 'Status' && json.status === 'Failure';
    const said = refused ? `${status} ${json.reason ?? 'unknown'}: ${json.message}` : String(status);
    return masked([said, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n'));
  }

  /** The body of the response, whatever the code. */
  async body(request: RequestLine, body?: unknown): Promise<ResponseBody> {
    return (await this.#send(request, body)).json;
  }

  async #send(request: RequestLine, body: unknown) {
    const [verb = '', path = ''] = request.split(' ', 2);
    const [name = '', ...rest] = verb.split('+');
    const form = rest.length === 0 ? undefined : rest.join('+');
    const type = patches[name] ?? (form === undefined ? undefined : `application/${form}`);
    const method = name in patches ? 'PATCH' : name;
    const response = await this.#client.request(method, path, body, type === undefined ? {} : { 'content-type': type });
    const { warning } = response.headers;
    const warnings = [...String(warning ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
      text.replace(/\\(.)/g, '$1'),
    );
    // Responses of unknown routes are plain text.
    const json: ResponseBody = response.body.startsWith('{') ? JSON.parse(response.body) : {};
    return { status: response.status, warnings, json };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    await this.#server.stop();
    await this.#server[Symbol.asyncDispose]();
  }
}

/** Replaces values that differ from run to run by a word. */
function masked(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/(resourceVersion\\?":\\?"|in record \(|object meta: )\d+/g, '$1N');
}
