import { beforeEach, describe, expect, it } from 'vitest';
import {
  byWebhook,
  define,
  fixture,
  merge,
  pathOf,
  removeVersion,
  reviewOf,
  send,
  storedObject,
  useConversionServer,
} from '../testing/conversion-server.js';
import { multiVersionObject, VERSIONS } from '../testing/multi-version.js';

useConversionServer();

const apply = (version: string, manager: string, object: object, force = false) =>
  send(
    'PATCH',
    `${pathOf(version, 'a')}?fieldManager=${manager}&force=${force}`,
    { apiVersion: `stable.example.com/${version}`, kind: 'MultiVersion', metadata: { name: 'a' }, ...object },
    'application/apply-patch+yaml',
  );

const ownersOf = ({ metadata }: { readonly metadata?: unknown }) => {
  const { managedFields = [] } = (metadata ?? {}) as { managedFields?: Record<string, unknown>[] };
  return managedFields.map(({ manager, apiVersion, fieldsV1 }) => [
    manager,
    String(apiVersion).split('/')[1],
    JSON.stringify(fieldsV1),
  ]);
};

describe('an apply through another version', () => {
  beforeEach(() => define('v1beta1', byWebhook()));

  it('is possible in every version by one manager', async () => {
    await send('POST', pathOf('v1beta1'), multiVersionObject('v1beta1', 'a'));
    for (const version of VERSIONS) {
      const { num, content, numv2, contentv2 } = multiVersionObject(version, 'a') as Record<string, unknown>;
      const { code, json } = await apply(version, 'one', { num, content, numv2, contentv2 }, true);
      expect([code, json['message']]).toEqual([200, undefined]);
    }
  });

  it('conflicts with the fields of the other manager, in its version', async () => {
    await apply('v1beta1', 'old', { content: { key: 'a' } });
    const refused = await apply('v1beta2', 'new', { contentv2: { key: 'b' } });
    expect([refused.code, refused.json['message']]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "old": .content.key',
    ]);
    const forced = await apply('v1beta2', 'new', { contentv2: { key: 'b' } }, true);
    expect([forced.code, ownersOf(forced.json), (await storedObject('a'))?.['content']]).toEqual([
      200,
      [['new', 'v1beta2', '{"f:contentv2":{"f:key":{}}}']],
      { key: 'b' },
    ]);
  });

  it('removes what the manager no longer applies, although it spoke another version before', async () => {
    await apply('v1beta1', 'one', { content: { key: 'a' }, num: { num1: 1 } });
    const { code, json } = await apply('v1beta2', 'one', { numv2: { num1: 2 } });
    expect([code, json['contentv2'], json['numv2']]).toEqual([200, undefined, { num1: 2 }]);
  });

  it('fails if the merged object cannot be converted to the version of the other manager', async () => {
    await apply('v1beta1', 'old', { content: { key: 'a' } });
    const { respond } = fixture;
    fixture.respond = (request, response) => {
      if (!JSON.stringify(reviewOf(request)).includes('"num1":7')) return respond(request, response);
      response.statusCode = 500;
      response.end();
      return undefined;
    };
    const { code, json } = await apply('v1beta2', 'new', { numv2: { num1: 7 } });
    expect([code, json['message']]).toEqual([
      500,
      'failed to convert new object: conversion webhook for stable.example.com/v1beta2, Kind=MultiVersion failed: an error on the server ("") has prevented the request from succeeding',
    ]);
  });

  it('of an unchanged object writes nothing', async () => {
    await apply('v1beta2', 'new', { contentv2: { key: 'b' } });
    const first = await storedObject('a');
    const { code } = await apply('v1beta2', 'new', { contentv2: { key: 'b' } });
    expect([code, await storedObject('a')]).toEqual([200, first]);
  });
});

describe('an update through another version', () => {
  beforeEach(() => define('v1beta1', byWebhook()));

  it.each(['patch', 'update'])('takes fields from managers of the first one (%s)', async (kind) => {
    const { json: live } = await apply('v1beta1', 'old', { content: { key: 'a' }, num: { num1: 1 } });
    const path = `${pathOf('v1beta2', 'a')}?fieldManager=new`;
    const changed = { contentv2: { key: 'b' }, numv2: { num1: 1 } };
    const { json, code } =
      kind === 'patch'
        ? await send('PATCH', path, changed, merge)
        : await send('PUT', path, {
            ...live,
            content: undefined,
            num: undefined,
            ...changed,
            apiVersion: 'stable.example.com/v1beta2',
          });
    expect([code, ownersOf(json)]).toEqual([
      200,
      [
        ['old', 'v1beta1', '{"f:num":{"f:num1":{}}}'],
        ['new', 'v1beta2', '{"f:contentv2":{"f:key":{}}}'],
      ],
    ]);
  });

  it('loses the managers if they cannot be converted, as upstream', async () => {
    await apply('v1beta2', 'old', { contentv2: { key: 'a' } });
    const { respond } = fixture;
    fixture.respond = (request, response) => {
      // Only the merge converts an object with the new content to the old version.
      const isMerge = reviewOf(request).request.objects.some(
        (object) => !JSON.stringify(object).includes('managedFields'),
      );
      if (!isMerge) return respond(request, response);
      response.statusCode = 500;
      response.end();
      return undefined;
    };
    const { code, json } = await send(
      'PATCH',
      `${pathOf('v1beta1', 'a')}?fieldManager=new`,
      { content: { key: 'b' } },
      merge,
    );
    expect([code, ownersOf(json), json['content']]).toEqual([200, [], { key: 'b' }]);
  });
});

// Upstream: structured-merge-diff/v6/merge/update.go reconciles every manager first, and the converter of custom
// resources has no error that counts as a missing version.
describe('managed fields of a version that the definition no longer has', () => {
  beforeEach(async () => {
    await define('v1beta1', { strategy: 'None' });
    await apply('v1alpha1', 'old', { content: { key: 'a' } });
    await apply('v1beta1', 'other', { num: { num1: 1 } });
    await removeVersion('v1alpha1');
  });

  it('refuse an apply', async () => {
    const { code, json } = await apply('v1beta1', 'other', { num: { num1: 2 } }, true);
    const message = 'request to convert CR to an invalid group/version: stable.example.com/v1alpha1';
    expect([code, json['message']]).toEqual([500, message]);
  });

  it('are lost with all others by the next update', async () => {
    const path = `${pathOf('v1beta1', 'a')}?fieldManager=new`;
    const { code, json } = await send('PATCH', path, { num: { num1: 3 } }, merge);
    expect([code, ownersOf(json), json['num']]).toEqual([200, [], { num1: 3 }]);
    expect((await apply('v1beta1', 'other', { num: { num1: 3 } })).code).toBe(200);
  });
});
