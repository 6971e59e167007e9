import { NamedFlagSets } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { ServiceOptions } from './service-options.js';

function parsed(...args: readonly string[]): ServiceOptions {
  const options = new ServiceOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('misc'));
  sets.parse(args);
  return options;
}

describe('ServiceOptions', () => {
  it('has upstream’s ranges by default', () => {
    const options = parsed();
    expect(options.validate()).toEqual([]);
    expect([
      options.clusterIPRanges.map(({ cidr }) => cidr),
      options.nodePortRange,
      options.endpointReconciler,
    ]).toEqual([['10.0.0.0/24'], { base: 30_000, size: 2768 }, 'lease']);
  });

  it.each(['master-count', 'lease', 'none'])('reconciles endpoints by the method %s', (type) => {
    expect(parsed(`--endpoint-reconciler-type=${type}`).endpointReconciler).toBe(type);
  });

  it('takes both families', () => {
    const options = parsed('--service-cluster-ip-range=fd00::/108,10.96.0.0/12', '--service-node-port-range=1000-1999');
    expect(options.validate()).toEqual([]);
    expect(options.clusterIPRanges.map(({ cidr }) => cidr)).toEqual(['fd00::/108', '10.96.0.0/12']);
    expect(options.nodePortRange).toEqual({ base: 1000, size: 1000 });
  });

  it('takes the last port there is, and the ends of the range', () => {
    const faultsOf = (...args: string[]) =>
      parsed(...args)
        .validate()
        .map(({ message }) => message);
    expect([
      faultsOf('--service-node-port-range=65000-65535', '--kubernetes-service-node-port=65535'),
      faultsOf('--kubernetes-service-node-port=30000'),
      faultsOf('--kubernetes-service-node-port=32767'),
      faultsOf('--kubernetes-service-node-port=32768'),
      faultsOf('--kubernetes-service-node-port=29999'),
    ]).toEqual([
      [],
      [],
      [],
      ["kubernetes service node port range 30000-32767 doesn't contain 32768"],
      ["kubernetes service node port range 30000-32767 doesn't contain 29999"],
    ]);
  });

  it.each<[string, string]>([
    ['--service-cluster-ip-range=x', 'service-cluster-ip-range[0] is not a valid cidr'],
    ['--service-cluster-ip-range=10.0.0.0/24,x', 'service-cluster-ip-range[1] is not an ip net'],
    [
      '--service-cluster-ip-range=10.0.0.0/24,10.0.1.0/24,fd00::/108',
      '--service-cluster-ip-range must not contain more than two entries',
    ],
    [
      '--service-cluster-ip-range=10.0.0.0/24,10.0.1.0/24',
      '--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family',
    ],
    [
      '--service-cluster-ip-range=10.0.0.0/8',
      'specified --service-cluster-ip-range is too large; for 32-bit addresses, the mask must be >= /12',
    ],
    ['--service-cluster-ip-range=10.0.0.0/30', 'the service cluster IP range must be at least 8 IP addresses'],
    [
      '--kubernetes-service-node-port=70000',
      '--kubernetes-service-node-port 70000 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP',
    ],
    ['--kubernetes-service-node-port=80', "kubernetes service node port range 30000-32767 doesn't contain 80"],
    ['--apiserver-count=0', "--apiserver-count should be a positive number, but value '0' provided"],
    ['--endpoint-reconciler-type=odd', '--endpoint-reconciler-type invalid, allowed values: master-count, lease, none'],
  ])('refuses %s', (flag, message) => {
    expect(
      parsed(flag)
        .validate()
        .map((error) => error.message),
    ).toEqual([message]);
  });

  it('refuses a range of ports that is none', () => {
    expect(() => parsed('--service-node-port-range=x')).toThrow('strconv.Atoi: parsing "x": invalid syntax');
  });
});
