import type { KubeObject, Preconditions } from '@apiserver/apimachinery';
import { newNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import { loadedObject, type StoredObject, type VerbContext } from '@apiserver/apiserver-contracts';
import { storageKey } from './storage-key.js';
import { groupResourceOf, interpret, type StoreCore } from './store-core.js';

/** A change that bypasses the rules for updates. */
export interface Modification<T extends KubeObject> {
  readonly options: { readonly preconditions?: Preconditions; readonly dryRun?: readonly string[] };
  readonly change: (draft: T, current: T) => void | Promise<void>;
}

/** Changes a stored object in place, bypassing its rules for updates. See GenericStore.modify. */
export async function modifyObject<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  name: string,
  { options, change }: Modification<T>,
): Promise<StoredObject<T>> {
  const key = storageKey(core, context, name);
  try {
    const { stored } = await core
      .storage(options)
      .guaranteedUpdate(key, options.preconditions ?? {}, async (current) => {
        if (current === undefined) throw newNotFound(groupResourceOf(core, context), name);
        const old = await loadedObject(current);
        const draft = cloneJson(old);
        await change(draft, old);
        delete draft.metadata.resourceVersion;
        return { object: draft };
      });
    return stored;
  } catch (error) {
    throw interpret(core, context, { error, name, operation: 'update' });
  }
}
