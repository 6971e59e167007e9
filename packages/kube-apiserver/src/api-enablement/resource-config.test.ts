import { describe, expect, it } from 'vitest';
import { completeRuntimeConfig, resourceConfig, validateRuntimeConfig } from './resource-config.js';

const groupVersion = (text: string) => {
  const [group = '', version = ''] = text.split('/');
  return { group, version };
};
const known = {
  registered: ['/v1', 'apps/v1', 'batch/v1', 'storage.k8s.io/v1', 'storage.k8s.io/v1beta1', 'x.k8s.io/v1alpha1'].map(
    groupVersion,
  ),
  built: ['/v1', 'apps/v1', 'batch/v1', 'storage.k8s.io/v1', 'x.k8s.io/v1alpha1'].map(groupVersion),
};
const parsed = (text: string) =>
  new Map(
    text.split(',').map((pair): [string, string] => {
      const [key = '', value = ''] = pair.split('=');
      return [key, value];
    }),
  );

const RESOURCES = ['/v1/pods', 'apps/v1/deployments', 'apps/v1/replicasets', 'batch/v1/jobs', 'x.k8s.io/v1alpha1/xs'];
function enabled(text: string): readonly string[] {
  const config = resourceConfig(text === '' ? new Map() : parsed(text), known);
  return RESOURCES.filter((key) => {
    const [group = '', version = '', resource = ''] = key.split('/');
    return config.isEnabled({ group, version, resource });
  });
}

describe('validateRuntimeConfig', () => {
  it.each([
    ['batch/v1=false', []],
    ['api/all=false,apps/v1=true', []],
    ['api/all=false', ['invalid runtime-config with only api/all=false']],
    ['v2=false', ['runtime-config invalid key v2']],
    ['a/b/c/d=false', ['runtime-config invalid key a/b/c/d']],
    ['nope/v1=true,api/v2/b=true,api/v2/a=true', ['unknown api groups api/v2,nope/v1']],
  ])('%s', (text, messages) => {
    expect(validateRuntimeConfig(parsed(text), known)).toEqual(messages);
  });
});

describe('completeRuntimeConfig', () => {
  it.each([
    ['v1=false', '/v1=false'],
    ['api/v1', '/v1='],
    ['api/v1/pods=false', '/v1=false'],
    ['v1/pods=false,v1=true', '/v1=true'],
    ['api/legacy=false', ''],
    ['api/all=false,api/v1=true,api/v10=true', 'api/all=false,api/v10=true,/v1=true'],
    ['/v1/pods=false,apps/v1=true', '/v1/pods=false,apps/v1=true'],
  ])('%s', (text, expected) => {
    const completed = [...completeRuntimeConfig(parsed(text))];
    expect(completed.map(([key, value]) => `${key}=${value}`).join()).toBe(expected);
  });
});

describe('resourceConfig', () => {
  it.each([
    ['', ['/v1/pods', 'apps/v1/deployments', 'apps/v1/replicasets', 'batch/v1/jobs']],
    [
      'api/alpha=true,batch/v1=false',
      ['/v1/pods', 'apps/v1/deployments', 'apps/v1/replicasets', 'x.k8s.io/v1alpha1/xs'],
    ],
    ['api/all=false,apps/v1=true', ['apps/v1/deployments', 'apps/v1/replicasets']],
    ['api/all=false,apps/v1=true,storage.k8s.io/v1beta1=true', ['apps/v1/deployments', 'apps/v1/replicasets']],
    ['api/ga=false,apps/v1/deployments', ['apps/v1/deployments']],
    [
      'api/all=true,apps/v1/replicasets=false,apps/v1=1',
      ['/v1/pods', 'apps/v1/deployments', 'batch/v1/jobs', 'x.k8s.io/v1alpha1/xs'],
    ],
  ])('%s', (text, expected) => {
    expect(enabled(text)).toEqual(expected);
  });

  it.each([
    ['api/all=yes', 'invalid value api/all=yes'],
    ['apps/v3=true', 'group version apps/v3 that has not been registered'],
    ['apps/v1=1true', 'invalid value of apps/v1: 1true'],
    ['apps/v1=tf', 'invalid value of apps/v1: tf'],
    ['apps/v1=yes', 'invalid value of apps/v1: yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
    [
      'apps/v1/Deployments=true',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
  ])('refuses %s', (text, message) => {
    expect(() => enabled(text)).toThrow(message);
  });
});

it.each(['falsex', 'xfalse', '00', 'truex', 'xtrue', '11'])('takes no value %s', (value) => {
  expect(() => enabled(`apps/v1=${value}`)).toThrow(
    `invalid value of apps/v1: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`,
  );
});
