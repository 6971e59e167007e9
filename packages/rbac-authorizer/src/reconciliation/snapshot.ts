import type { PolicyClient, PolicyObject } from './policy-client.js';

/** Objects of one kind as a list showed them: a hundred comparisons cost one request. */
export class Snapshot<O extends PolicyObject> {
  readonly #objects = new Map<string, O>();

  constructor(objects: Iterable<O>) {
    for (const object of objects) this.set(object);
  }

  get(namespace: string, name: string): O | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  set(object: O): void {
    const { namespace = '', name = '' } = object.metadata;
    this.#objects.set(`${namespace}/${name}`, object);
  }
}

/** Lists those namespaces; "" for all objects. Throws what the list throws. */
export async function takeSnapshot<O extends PolicyObject>(
  client: PolicyClient<O>,
  namespaces: Iterable<string>,
): Promise<Snapshot<O>> {
  const lists = await Promise.all([...namespaces].map((namespace) => client.list(namespace)));
  return new Snapshot(lists.flat());
}
