import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes, EndpointVersion, RequestScope } from '@apiserver/apiserver-contracts';
import { describe, expect, test } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { VersionedRequest } from './versioned-request.js';

const kind = (version: string) => ({ group: 'g', version, kind: 'Thing' });
const thing = (version: string, more: object = {}): KubeObject => ({
  apiVersion: `g/${version}`,
  kind: 'Thing',
  metadata: { name: 'a' },
  ...more,
});

/** A scope whose hub is v2; the old version calls `size` `oldSize`. */
function scopeOf(definition: Partial<RequestScope['definition']> = {}) {
  const { scope } = testAttributes({ kind: kind('v2') });
  const hub = { ...scope, versionDefinition: { version: 'v2' }, definition } as RequestScope;
  const old = {
    ...hub,
    kind: kind('v1'),
    versionDefinition: {
      version: 'v1',
      fromHub: ({ size, ...rest }: KubeObject) => ({ ...rest, apiVersion: 'g/v1', oldSize: size }),
      toHub: ({ oldSize, ...rest }: KubeObject) => ({ ...rest, apiVersion: 'g/v2', size: oldSize }),
    },
  } as unknown as EndpointVersion;
  return { hub, old };
}

const attributesOf = (scope: RequestScope, changes: Partial<AdmissionAttributes>) =>
  testAttributes({ kind: scope.kind, scope, ...changes });

describe('a versioned request', () => {
  test('has the objects of the hub as they are, and converts others once', async () => {
    const { hub, old } = scopeOf();
    const object = thing('v2', { size: 1 });
    const request = new VersionedRequest(attributesOf(hub, { object, oldObject: thing('v2', { size: 0 }) }));
    const converted = await request.at(old);
    expect((await request.at(hub)).object).toBe(object);
    expect(await request.at(old)).toBe(converted);
    expect([converted.object, converted.oldObject]).toEqual([thing('v1', { oldSize: 1 }), thing('v1', { oldSize: 0 })]);
  });

  test('names the resource of each version, also where all versions have one kind', async () => {
    const { hub } = scopeOf();
    const old = { ...hub, resource: { ...hub.resource, version: 'v0' } };
    const object = thing('v2');
    const request = new VersionedRequest(attributesOf(hub, { object }));
    const made = [await request.at(hub), await request.at(old)];
    expect(made.map(({ version, object: seen }) => [version.resource, seen])).toEqual([
      [hub.resource, object],
      [old.resource, object],
    ]);
  });

  test('replaces the object of the request in place, and that of every version', async () => {
    const { hub, old } = scopeOf();
    const object = thing('v2', { size: 1, gone: true });
    const request = new VersionedRequest(attributesOf(hub, { object }));
    await request.at(hub);
    await request.replace(old, thing('v1', { oldSize: 2 }));
    expect([object, (await request.at(hub)).object, (await request.at(old)).object]).toEqual([
      thing('v2', { size: 2 }),
      object,
      thing('v1', { oldSize: 2 }),
    ]);
  });

  test('asks the converter of a definition in both directions, and keeps the old object', async () => {
    const asked: string[] = [];
    const { hub, old } = scopeOf({
      convert: async (object, apiVersion) => {
        asked.push(`${object.apiVersion} to ${apiVersion}`);
        return { ...object, apiVersion, converted: true };
      },
    });
    const object = thing('v2');
    const oldObject = thing('v2', { was: true });
    const request = new VersionedRequest(attributesOf(hub, { object, oldObject }));
    const before = await request.at(old);
    await request.replace(old, thing('v1', { patched: true }));
    const after = await request.at(old);
    expect([asked, object, after.oldObject]).toEqual([
      ['g/v2 to g/v1', 'g/v2 to g/v1', 'g/v1 to g/v2'],
      thing('v2', { patched: true, converted: true }),
      before.oldObject,
    ]);
  });

  test('reports a failed conversion as an internal error', async () => {
    const refuse = async () => {
      throw new Error('no such form');
    };
    const { hub, old } = scopeOf({ convert: refuse });
    const request = new VersionedRequest(attributesOf(hub, { object: thing('v2') }));
    await expect(request.at(old)).rejects.toThrow('Internal error occurred: no such form');
  });

  test('without an object cannot be changed', () => {
    const { hub } = scopeOf();
    const request = new VersionedRequest(attributesOf(hub, { oldObject: thing('v2') }));
    expect(() => request.replace(hub, thing('v2'))).toThrow(
      new TypeError('a request without an object cannot be changed'),
    );
  });

  test('states the version where versions differ in nothing else', async () => {
    const { hub } = scopeOf();
    const old = { ...hub, kind: kind('v1'), versionDefinition: { ...hub.versionDefinition, version: 'v1' } };
    const object = thing('v2', { size: 1 });
    const request = new VersionedRequest(attributesOf(hub, { object }));
    expect((await request.at(old)).object).toEqual(thing('v1', { size: 1 }));
    await request.replace(old, thing('v1', { size: 2 }));
    expect(object).toEqual(thing('v2', { size: 2 }));
  });

  test('reports a conversion that throws at once, of either object', () => {
    const { hub, old } = scopeOf();
    const fromHub = () => {
      throw new Error('no such form');
    };
    const broken = { ...old, versionDefinition: { ...old.versionDefinition, fromHub } };
    for (const objects of [{ object: thing('v2') }, { oldObject: thing('v2') }]) {
      const request = new VersionedRequest(attributesOf(hub, objects));
      expect(() => request.at(broken)).toThrow('Internal error occurred: no such form');
    }
  });
});
