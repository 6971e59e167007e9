import type { KubeObject, UpdateOptions } from '@apiserver/apimachinery';
import { isStatusError } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector, parseFieldSelector } from '@apiserver/apimachinery/selectors';
import type { RestStorage, VerbContext, WatchEvent } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The resource under test. */
export interface RestStorageFixture {
  readonly storage: RestStorage;
  readonly context: VerbContext;
  /** A new, valid object of that name, as a client sends it; without a name, with `generateName: "g-"`. */
  object(name: string | undefined): KubeObject;
  /** A name of the resource for each of the letters a, b and c, in that order; absent if any name is valid. */
  nameOf?(letter: string): string;
  /** Makes a change that an update may make. */
  change(draft: KubeObject): void;
  /** False for kinds whose first DELETE only begins the deletion. */
  readonly deletesAtOnce: boolean;
  /** True if a deletion is recorded in the object even when it is immediate: its kind is deleted gracefully. */
  readonly marksDeletion?: boolean;
  /** True for kinds where an update of a name that is missing creates it. */
  readonly createsOnUpdate?: boolean;
  dispose?(): Promise<void>;
}

const admitted = async () => {};
const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

/**
 * Tests for every resource with all verbs of the generic Store, whatever its rules: run it on each.
 * Upstream: k8s.io/apiserver/pkg/registry/rest/resttest
 */
export function restStorageSuite(name: string, open: () => RestStorageFixture | Promise<RestStorageFixture>): void {
  describe(`REST storage of ${name}`, () => {
    let fixture: RestStorageFixture;
    let verbs: Required<RestStorage>;

    beforeEach(async () => {
      fixture = await open();
      // A missing verb fails the test that calls it.
      verbs = fixture.storage as Required<RestStorage>;
    });
    afterEach(() => fixture.dispose?.());

    const named = (letter: string) => fixture.nameOf?.(letter) ?? letter;
    const create = (letter: string | undefined, options = {}) =>
      verbs.create(fixture.context, fixture.object(letter && named(letter)), admitted, options);
    const get = (letter: string) => verbs.get(fixture.context, named(letter), {});
    const remove = (letter: string, options = {}) => verbs.delete(fixture.context, named(letter), admitted, options);
    const update = (letter: string, change: (draft: KubeObject) => void, options: UpdateOptions = {}) =>
      verbs.update(fixture.context, {
        name: named(letter),
        objectInfo: {
          updatedObject(_context, old) {
            const draft = structuredClone(old ?? fixture.object(named(letter)));
            change(draft);
            return draft;
          },
        },
        validateCreate: admitted,
        validateUpdate: admitted,
        forceAllowCreate: false,
        options,
      });
    const refusal = async (response: Promise<unknown>) => {
      const error = await response.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return isStatusError(error) ? { code: error.status.code, reason: error.status.reason } : error;
    };

    it('creates with the system fields filled, and reads the same back', async () => {
      const { object } = await create('a');
      expect(object.metadata.name).toBe(named('a'));
      expect(object.metadata.namespace ?? '').toBe(fixture.context.namespace);
      expect(object.metadata.uid).toMatch(/./);
      expect(object.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(object.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
      expect((await get('a')).object).toEqual(object);
      expect(Object.isFrozen(object.metadata)).toBe(true);
    });

    it('generates names', async ({ skip }) => {
      skip(fixture.nameOf !== undefined, 'has names of its own');
      expect((await create(undefined)).object.metadata.name).toMatch(/^g-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    });

    it('rejects a name that is taken, and a missing one', async () => {
      await create('a');
      expect(await refusal(create('a'))).toEqual({ code: 409, reason: 'AlreadyExists' });
      expect(await refusal(get('b'))).toEqual({ code: 404, reason: 'NotFound' });
      if (fixture.createsOnUpdate) expect((await update('c', fixture.change)).created).toBe(true);
      else expect(await refusal(update('b', fixture.change))).toEqual({ code: 404, reason: 'NotFound' });
      expect(await refusal(remove('b'))).toEqual({ code: 404, reason: 'NotFound' });
    });

    it('lists in the order of names, at a version', async () => {
      for (const letter of ['b', 'a', 'c']) await create(letter);
      const list = await verbs.list(fixture.context, everything);
      expect(list.items.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c'].map(named));
      expect(list.resourceVersion).toMatch(/^[1-9]\d*$/);
    });

    it('updates, keeps immutable fields, and detects conflicts', async () => {
      const before = (await create('a')).object;
      const { stored, created } = await update('a', (draft) => {
        fixture.change(draft);
        draft.metadata.creationTimestamp = '2001-01-01T00:00:00Z';
        delete draft.metadata.uid;
      });
      expect(created).toBe(false);
      const { uid, creationTimestamp } = before.metadata;
      expect(stored.object.metadata).toMatchObject({ uid, creationTimestamp });
      expect(Number(stored.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
      const stale = update('a', (draft) => {
        fixture.change(draft);
        draft.metadata.resourceVersion = before.metadata.resourceVersion ?? '';
      });
      expect(await refusal(stale)).toEqual({ code: 409, reason: 'Conflict' });
    });

    it('uses no version for an update without changes', async () => {
      const { resourceVersion } = await create('a');
      expect((await update('a', () => {})).stored.resourceVersion).toBe(resourceVersion);
    });

    it('changes nothing in a dry run', async () => {
      const dryRun = { dryRun: ['All'] };
      expect((await create('a', dryRun)).object.metadata).not.toHaveProperty('resourceVersion');
      expect(await refusal(get('a'))).toEqual({ code: 404, reason: 'NotFound' });
      const { object } = await create('a');
      await update('a', fixture.change, dryRun);
      await remove('a', dryRun);
      expect((await get('a')).object).toEqual(object);
    });

    it('deletes, or begins to', async () => {
      await create('a');
      const { deleted, stored } = await remove('a');
      expect(deleted).toBe(fixture.deletesAtOnce);
      if (fixture.deletesAtOnce) expect(await refusal(get('a'))).toEqual({ code: 404, reason: 'NotFound' });
      else expect((await get('a')).object).toEqual(stored.object);
    });

    it('deletes only an object that meets the preconditions', async () => {
      const { object } = await create('a');
      const removeIf = (preconditions: object) => remove('a', { preconditions });
      expect(await refusal(removeIf({ uid: 'other' }))).toEqual({ code: 409, reason: 'Conflict' });
      expect(await refusal(removeIf({ resourceVersion: '999999' }))).toEqual({ code: 409, reason: 'Conflict' });
      expect((await get('a')).object).toEqual(object);
    });

    it('keeps an object while it has finalizers', async () => {
      await create('a');
      await update('a', ({ metadata }) => {
        metadata.finalizers = ['example.com/hold'];
      });
      const { deleted } = await remove('a');
      expect(deleted).toBe(false);
      expect((await get('a')).object.metadata.deletionTimestamp).toMatch(/Z$/);
      const more = update('a', ({ metadata }) => metadata.finalizers?.push('example.com/more'));
      expect(await refusal(more)).toEqual({ code: 422, reason: 'Invalid' });
    });

    it('deletes a collection, except what the selector excludes', async ({ skip }) => {
      skip(fixture.storage.deleteCollection === undefined, 'has no deletecollection');
      for (const letter of ['a', 'b', 'c']) await create(letter);
      const butB = { ...everything, fieldSelector: parseFieldSelector(`metadata.name!=${named('b')}`) };
      const list = await verbs.deleteCollection(fixture.context, admitted, {}, butB);
      expect(list.items.map(({ object }) => object.metadata.name)).toEqual(['a', 'c'].map(named));
      const left = await verbs.list(fixture.context, everything);
      expect(left.items.map(({ object }) => object.metadata.name)).toEqual(
        (fixture.deletesAtOnce ? ['b'] : ['a', 'b', 'c']).map(named),
      );
    });

    it('sends every change to watchers, each at a later version', async () => {
      const source = await verbs.watch(fixture.context, everything);
      const events: WatchEvent[] = [];
      source.start({ event: (event) => events.push(event), end: () => {} });
      await create('a');
      await update('a', fixture.change);
      await remove('a');
      const expected = [
        'ADDED',
        'MODIFIED',
        ...(fixture.marksDeletion || !fixture.deletesAtOnce ? ['MODIFIED'] : []),
        ...(fixture.deletesAtOnce ? ['DELETED'] : []),
      ];
      await expect.poll(() => events.length).toBe(expected.length);
      source.close();
      expect(events.map(({ type }) => type)).toEqual(expected);
      const versions = events.map(({ object }) => Number(object.resourceVersion));
      expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    });
  });
}
