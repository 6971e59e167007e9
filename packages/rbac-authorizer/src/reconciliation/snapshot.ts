import type { PolicyClient, PolicyObject } from './policy-client.js';

/** The listed objects of one kind: one request serves all comparisons. */
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

/** Lists the namespaces; "" lists all objects. Throws the errors of the lists. */
export async function takeSnapshot<O extends PolicyObject>(
  client: PolicyClient<O>,
  namespaces: Iterable<string>,
): Promise<Snapshot<O>> {
  const lists = await Promise.all([...namespaces].map((namespace) => client.list(namespace)));
  return new Snapshot(lists.flat());
}
