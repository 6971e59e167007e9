import { formatFlagSections, NamedFlagSets } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { FeatureOptions } from './feature-options.js';

function parse(...args: string[]) {
  const options = new FeatureOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('generic'));
  sets.parse(args);
  return { options, errors: options.validate().map(({ message }) => message) };
}

describe('--feature-gates', () => {
  it.each([
    [[]],
    [['--feature-gates=kube:MaxUnavailableStatefulSet=true,KubeletPSI=true']],
    [['--feature-gates=SchedulerAsyncAPICalls=true', '--feature-gates=EventedPLEG=true']],
    [['--feature-gates=BtreeWatchCache=true,RetryGenerateName=true,AllowUnsafeMalformedObjectDeletion=true']],
    [['--feature-gates=ClusterTrustBundleProjection=true,ClusterTrustBundle=true,PodCertificateRequest=true']],
    [['--feature-gates=DRADeviceTaintRules=true,DRAResourcePoolStatus=true,StorageVersionMigrator=true']],
    [['--feature-gates=APIServingWithRoutine=true,ConcurrentWatchObjectDecode=true']],
    [['--emulated-version=1.36', '--min-compatibility-version=kube=1.35']],
  ])('takes %j', (args) => expect(parse(...args).errors).toEqual([]));

  it('sets the given gates', () => {
    const { options } = parse(
      '--feature-gates=MaxUnavailableStatefulSet=true',
      '--feature-gates=CRIListStreaming=true',
    );
    const { gate } = options;
    expect([gate.enabled('MaxUnavailableStatefulSet'), gate.enabled('CRIListStreaming')]).toEqual([true, true]);
  });

  it('warns of deprecated gates', () =>
    expect(parse('--feature-gates=WindowsHostNetwork=true').options.warnings()).toEqual([
      'Setting deprecated feature gate WindowsHostNetwork=true. It will be removed in a future release.',
    ]));

  it.each([
    ['--feature-gates=Odd=true', 'unrecognized feature gate: Odd'],
    ['--feature-gates=other:WatchList=true', 'component not registered: other'],
    ['--feature-gates=ImageVolume=false', 'cannot set feature gate ImageVolume to false, feature is locked to true'],
    [
      '--feature-gates=RetryGenerateName=false',
      'cannot set feature gate RetryGenerateName to false, feature is locked to true',
    ],
    [
      '--feature-gates=PortForwardWebsockets=false,EventedPLEG=true,KMSv1=true',
      '--feature-gates: what these gates ask for is not built yet, leave them as they are: KMSv1=true,PortForwardWebsockets=false',
    ],
    [
      '--feature-gates=ClusterTrustBundleProjection=true',
      'ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
    ],
    [
      '--feature-gates=APIServerIdentity=false',
      'UnknownVersionInteroperabilityProxy is enabled, but depends on features that are disabled: [APIServerIdentity]',
    ],
    ['--emulated-version=1.35', '--emulated-version: 1.35 is not built; this server is fixed to 1.36'],
    ['--emulated-version=wardle=1.2', 'component not registered: wardle'],
  ])('refuses %s', (arg, message) => expect(parse(arg).errors).toEqual([message]));

  it('has the type of upstream in the help', () => {
    const sets = new NamedFlagSets();
    new FeatureOptions().addFlags(sets.section('generic'));
    expect(formatFlagSections(sets, 0)).toMatch(/--feature-gates colonSeparatedMultimapStringString /);
  });

  it('knows all gates of the release', () => {
    const lines = new FeatureOptions().knownFeatures();
    // As kube-scheduler of 1.36, which has the same list, prints it.
    expect(lines).toHaveLength(150);
    expect(lines).toContain('kube:UnknownVersionInteroperabilityProxy=true|false (BETA - default=true)');
  });
});
