import type { UpdateOptions } from '@apiserver/apimachinery';
import type { UpdateRequest } from '@apiserver/apiserver-contracts';
import { createTestStore, type TestStoreOptions } from './test-store.js';
import { testContext, type Widget, widget } from './widget.js';

const admitted = async () => {};

/** The new object from the old one. */
export type Change = (old: Widget | undefined) => Widget;

/** A request that changes a widget. */
export function request(name: string, change: Change, options: UpdateOptions = {}): UpdateRequest<Widget> {
  return {
    name,
    objectInfo: { updatedObject: (_context, old) => change(old) },
    validateCreate: admitted,
    validateUpdate: admitted,
    forceAllowCreate: false,
    options,
  };
}

/** A patch: the old object with changes to its metadata and the rest. */
export function patch(metadata: Widget['metadata'], rest: Partial<Widget> = {}): Change {
  return (old) => {
    if (old === undefined) throw new Error('nothing to patch');
    return { ...structuredClone(old), ...rest, metadata: { ...structuredClone(old.metadata), ...metadata } };
  };
}

/** A store with one widget, which is "a" in all tests. */
export async function storeWith(metadata: Widget['metadata'], options: TestStoreOptions = {}) {
  const test = createTestStore(options);
  const { object } = await test.store.create(testContext(), widget(metadata, { spec: { size: 1 } }), admitted, {});
  return { ...test, object };
}
