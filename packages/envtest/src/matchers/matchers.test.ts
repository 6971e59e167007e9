import { afterAll, describe, expect, it } from 'vitest';
import { conflict, startControlPlane } from '../index.js';
import { matchers, type PlaneMatchers } from './index.js';

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends PlaneMatchers<R> {}
}

expect.extend(matchers);

const widget = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'first',
    namespace: 'default',
    uid: 'w',
    finalizers: ['example.com/keep'],
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true }],
  },
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting', message: 'for a sprocket' }] },
};
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', uid: 'd' } };

describe('objects', () => {
  it('have conditions, finalizers and owners, or not', () => {
    expect(widget).toHaveCondition('Ready');
    expect(widget).toHaveCondition('Ready', 'False', { reason: 'Waiting', message: 'sprocket' });
    expect(widget).not.toHaveCondition('Ready', 'True');
    expect({}).not.toHaveCondition('Ready');
    expect(widget).toHaveFinalizer('example.com/keep');
    expect(widget).not.toHaveFinalizer('example.com/kee');
    expect(widget).toBeOwnedBy(owner);
    expect(widget).toBeOwnedBy(owner, { controller: true });
    expect(widget).not.toBeOwnedBy(owner, { controller: false });
    expect(widget).toBeOwnedBy({ metadata: { name: 'web' } });
    expect(widget).not.toBeOwnedBy({ ...owner, metadata: { name: 'web', uid: 'other' } });
    expect(widget).not.toBeOwnedBy({ ...owner, kind: 'StatefulSet' });
  });

  it.each([
    [
      () => expect(widget).toHaveCondition('Ready', 'True', { reason: 'Done' }),
      'expected Widget default/first to have the condition Ready=True "Done"\nits conditions:\n  Ready=False Waiting: for a sprocket',
    ],
    [
      () => expect(widget).not.toHaveFinalizer('example.com/keep'),
      'expected Widget default/first not to have the finalizer example.com/keep\nits finalizers:\n  example.com/keep',
    ],
    [
      () => expect({ kind: 'Pod', metadata: { name: 'p' } }).toBeOwnedBy(owner),
      'expected Pod p to be owned by Deployment web (UID d)\nits owners: none',
    ],
  ])('say what they have', (fails, message) => {
    expect(fails).toThrow(message);
  });
});

describe('a Status', () => {
  const status = { kind: 'Status', code: 409, reason: 'Conflict', message: 'it has been modified' };

  it.each([
    ['itself', status],
    ['of an error with a text', Object.assign(new Error('x'), { code: 409, body: JSON.stringify(status) })],
    ['of an error with an object', Object.assign(new Error('x'), { code: 409, body: status })],
    ['of a StatusError', Object.assign(new Error('x'), { status })],
  ])('%s matches', (_, received) => {
    expect(received).toBeStatus({ code: 409, reason: 'Conflict', message: 'modified' });
    expect(received).not.toBeStatus({ reason: 'NotFound' });
    expect(received).not.toBeStatus({});
  });

  it('says what it is', () => {
    expect(() => expect(status).toBeStatus({ code: 404 })).toThrow(
      'expected {"code":409,"reason":"Conflict","message":"it has been modified"} to be the Status {"code":404}',
    );
    expect(() => expect('x').toBeStatus({ code: 404 })).toThrow('expected no Status, but "x", to be the Status');
  });
});

describe('a plane', async () => {
  const plane = await startControlPlane();
  afterAll(() => plane.stop());
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map', namespace: 'default' } };
  const path = '/api/v1/namespaces/default/configmaps';
  const write = (method: string, at: string, body: object) =>
    plane.fetch(at, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  it('matches what was requested of it', async () => {
    expect(plane).not.toHaveRequested();
    plane.faults.add({ id: 'twice', verb: 'create', resource: 'configmaps', times: 2, response: conflict() });
    await expect(await write('POST', path, map)).toBeStatus({ code: 409, reason: 'Conflict' });
    await write('POST', path, map);
    expect(plane).toHaveRequested({ verb: 'create', resource: 'configmaps' }, { times: 2 });
    expect(() => expect(plane).toHaveRequested({ verb: 'delete' })).toThrow(
      'expected the plane to have been requested {"verb":"delete"}; it has 0 of these\nits last requests of 2:\n' +
        `  1 kubernetes-admin create ${path} 409 [twice: response]\n  2 kubernetes-admin create ${path} 409 [twice: response]`,
    );
  });

  it('has objects until they are gone', async () => {
    await expect(map).not.toExist(plane);
    await expect(map).toBeGone(plane);
    const finalizers = ['example.com/keep'];
    const [stored = map] = await plane.install({ ...map, metadata: { ...map.metadata, finalizers } });
    await expect(map).toExist(plane);
    await expect(stored).toExist(plane);
    await expect({ ...map, metadata: { ...map.metadata, uid: 'other' } }).toBeGone(plane);
    await expect(expect(map).toBeGone(plane)).rejects.toThrow('but it exists and is not being deleted');
    await plane.fetch(`${path}/map`, { method: 'DELETE' });
    await expect(expect(map).toBeGone(plane)).rejects.toThrow('but it waits for its finalizers ["example.com/keep"]');
    await plane.install(map);
    await plane.eventually(() => expect(map).toBeGone(plane));
  });
});
