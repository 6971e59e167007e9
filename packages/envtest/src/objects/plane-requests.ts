import type { Fetch } from '@apiserver/generic-server';
import { ControlPlaneError } from '@apiserver/test-powers';

/** A response with its body. */
interface PlaneResponse<T> {
  readonly status: number;
  readonly text: string;
  readonly value: T | undefined;
}

/** Requests in JSON as one user of a plane. */
export class PlaneRequests {
  readonly #fetch: Fetch;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** The response, whatever its status. `value` is undefined if it is no JSON; the caller declares its type. */
  async send<T = unknown>(method: string, path: string, body?: string): Promise<PlaneResponse<T>> {
    const response = await this.#fetch(path, {
      method,
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, text, value: parsed(text) };
  }

  /** The value of a successful response. Throws a ControlPlaneError with the message of the Status, led by `what`. */
  async expect<T>(what: string, method: string, path: string, body?: string): Promise<T> {
    const response = await this.send<T>(method, path, body);
    if (response.status < 400 && response.value !== undefined) return response.value;
    throw refusal(what, response);
  }
}

/** The error of a response that is a failure. */
export function refusal(what: string, { status, text, value }: PlaneResponse<unknown>): ControlPlaneError {
  const isStatus = typeof value === 'object' && value !== null && 'message' in value;
  return new ControlPlaneError(`${what}: ${isStatus ? String(value.message) : text} (${status})`);
}

/** The type of the value is the caller's claim. */
function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
