import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { completeOptions } from './complete-options.js';
import { KubeApiserverOptions } from './kube-apiserver-options.js';

function completed(...flags: readonly string[]) {
  const options = new KubeApiserverOptions();
  options.flagSets().parse(flags);
  expect(options.validate()).toEqual([]);
  const { logger, lines } = createTestLogger();
  return { options: completeOptions(options, { dataDirectory: '/d', isOnEtcd: false, logger }), lines };
}

describe('completeOptions', () => {
  it.each([
    [
      ['--bind-address=10.1.2.3', '--authorization-mode=RBAC'],
      '10.1.2.3',
      ['https://kubernetes.default.svc.cluster.local'],
      true,
    ],
    [
      ['--advertise-address=10.9.9.9', '--api-audiences=a,b', '--authorization-mode=RBAC'],
      '10.9.9.9',
      ['a', 'b'],
      true,
    ],
    [
      ['--bind-address=10.1.2.3', '--service-account-issuer=https://i', '--authorization-mode=RBAC'],
      '10.1.2.3',
      ['https://i'],
      true,
    ],
    [['--bind-address=10.1.2.3', '--api-audiences=a'], '10.1.2.3', ['a'], false],
  ])('of %j', (flags, advertiseAddress, apiAudiences, anonymous) => {
    const { options } = completed(...flags);
    const { data, generic, authentication } = options;
    expect([
      data.dataDirectory,
      generic.advertiseAddress,
      authentication.apiAudiences,
      authentication.anonymous,
    ]).toEqual(['/d', advertiseAddress, apiAudiences, anonymous]);
  });

  it('prevents later changes, whatever the flag', () => {
    const { options } = completed('--authorization-mode=RBAC');
    const changeable = (value: object, path: string): readonly string[] =>
      Object.entries(value).flatMap(([key, inner]) => [
        ...(Object.getOwnPropertyDescriptor(value, key)?.writable === true ? [`${path}.${key}`] : []),
        ...(typeof inner === 'object' && inner !== null ? changeable(inner, `${path}.${key}`) : []),
      ]);
    expect(changeable(options, 'options')).toEqual([]);
    expect(() => Object.assign(options.data, { dataDirectory: '/elsewhere' })).toThrow(TypeError);
  });

  it('leaves completed options as they are', () => {
    const { options } = completed('--bind-address=10.1.2.3');
    const { logger, lines } = createTestLogger();
    const again: unknown = options;
    const context = { dataDirectory: '/other', isOnEtcd: true, logger };
    expect(completeOptions(again as KubeApiserverOptions, context)).toBe(options);
    expect([options.data.dataDirectory, lines]).toEqual(['/d', []]);
  });
});
