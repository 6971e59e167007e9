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
    [['--emulated-version=1.35', '--emulation-forward-compatible', '--runtime-config-emulation-forward-compatible']],
    [['--emulated-version=kube=v1.36', '--min-compatibility-version=v1.35.0']],
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
      '--feature-gates=DeclarativeValidationBeta=false,EventedPLEG=true,KMSv1=true',
      '--feature-gates: what these gates ask for is not built yet, leave them as they are: DeclarativeValidationBeta=false,KMSv1=true',
    ],
    [
      '--feature-gates=ClusterTrustBundleProjection=true',
      'ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
    ],
    [
      '--feature-gates=APIServerIdentity=false',
      'UnknownVersionInteroperabilityProxy is enabled, but depends on features that are disabled: [APIServerIdentity]',
    ],
    ['--emulated-version=1.34', '--emulated-version: 1.34 is not built; the oldest release is 1.35'],
    ['--emulated-version=x', 'could not parse "x" as version'],
    ['--emulated-version=wardle=1.2', 'component not registered: wardle'],
    ['--emulated-version==1.36', 'component not registered: '],
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

describe('--emulated-version', () => {
  const at35 = (...args: string[]) => parse('--emulated-version=1.35', ...args);

  it('gives gates the state of that release', () => {
    const { options, errors } = at35();
    const { gate } = options;
    expect(errors).toEqual([]);
    const names = [
      'StrictIPCIDRValidation',
      'MutatingAdmissionPolicy',
      'DRAExtendedResource',
      'NativeHistograms',
      'WatchList',
    ];
    expect(names.map((name) => gate.enabled(name))).toEqual([false, false, false, false, true]);
    expect(gate.states().some(({ name }) => name === 'NativeHistograms')).toBe(false);
    expect(options.effective).toEqual({ emulationMinor: 35, minCompatibilityMinor: 34 });
  });

  it('warns of alpha features', () => {
    expect(at35('--feature-gates=StrictIPCIDRValidation=true').options.warnings()).toEqual([
      'component has alpha features enabled in emulated version, this is unsupported: features=[StrictIPCIDRValidation]',
    ]);
    expect(parse('--feature-gates=ShardedListAndWatch=true').options.warnings()).toEqual([]);
  });

  it.each([
    [
      'NativeHistograms=true',
      'cannot set feature gate NativeHistograms to true, feature is PreAlpha at emulated version 1.35, min compatibility version 1.34',
    ],
    [
      'DRAResourceClaimGranularStatusAuthorization=false',
      'cannot set feature gate DRAResourceClaimGranularStatusAuthorization to false, feature is PreAlpha at emulated version 1.35, min compatibility version 1.34',
    ],
    [
      'MutatingAdmissionPolicy=true',
      '--feature-gates: what these gates ask for is not built yet, leave them as they are: MutatingAdmissionPolicy=true',
    ],
  ])('refuses --feature-gates=%s', (gates, message) =>
    expect(at35(`--feature-gates=${gates}`).errors).toEqual([message]),
  );

  it('is the release of the server by default, which has no forward compatibility', () => {
    expect(parse().options.emulation).toBeUndefined();
    expect(at35('--emulation-forward-compatible').options.emulation).toEqual({
      minor: 35,
      forward: { emulation: true, runtimeConfig: false },
    });
  });
});
