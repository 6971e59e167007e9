import { NamedFlagSets } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { AdmissionOptions } from './admission-options.js';

function parsed(...args: string[]) {
  const options = new AdmissionOptions();
  const flags = new NamedFlagSets();
  options.addFlags(flags.section('admission'));
  options.addGenericFlags(flags.section('generic'));
  flags.parse(args);
  return options;
}

const DEFAULTS = parsed().plugins.map(({ name }) => name);

describe('AdmissionOptions', () => {
  it.each<[string[], string[]]>([
    [[], []],
    [['--enable-admission-plugins=NamespaceLifecycle'], []],
    [['--disable-admission-plugins=ImagePolicyWebhook,PodSecurity,MutatingAdmissionWebhook'], []],
    [['--enable-admission-plugins=Nope'], ['enable-admission-plugins plugin "Nope" is unknown']],
    [['--disable-admission-plugins=Nope'], ['disable-admission-plugins plugin "Nope" is unknown']],
    [['--admission-control=Nope'], ['admission-control plugin "Nope" is unknown']],
    [
      ['--enable-admission-plugins=Priority,LimitRanger', '--disable-admission-plugins=Priority,LimitRanger'],
      ['[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
    ],
    [
      ['--admission-control=Priority', '--disable-admission-plugins=LimitRanger'],
      ['admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive'],
    ],
    [['--enable-admission-plugins=ImagePolicyWebhook'], []],
  ])('%j', (args, errors) => {
    expect(
      parsed(...args)
        .validate()
        .map(({ message }) => message),
    ).toEqual(errors);
  });

  it('runs upstream’s default plugins in upstream’s order', () => {
    expect(DEFAULTS).toEqual([
      'NamespaceLifecycle',
      'LimitRanger',
      'ServiceAccount',
      'TaintNodesByCondition',
      'PodSecurity',
      'Priority',
      'DefaultTolerationSeconds',
      'DefaultStorageClass',
      'StorageObjectInUseProtection',
      'PodGroupProtection',
      'PersistentVolumeClaimResize',
      'RuntimeClass',
      'CertificateApproval',
      'CertificateSigning',
      'ClusterTrustBundleAttest',
      'CertificateSubjectRestriction',
      'DefaultIngressClass',
      'PodTopologyLabels',
      'PodGroupWorkloadExists',
      'NodeDeclaredFeatureValidator',
      'JobValidation',
      'PodResizeValidator',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionWebhook',
      'ResourceQuota',
    ]);
  });

  it.each<[string[], string[]]>([
    [['--disable-admission-plugins=LimitRanger,AlwaysDeny'], DEFAULTS.filter((name) => name !== 'LimitRanger')],
    [['--admission-control=Priority,NamespaceLifecycle'], ['NamespaceLifecycle', 'Priority']],
  ])('%j runs %j', (args, names) => {
    expect(parsed(...args).plugins.map(({ name }) => name)).toEqual(names);
  });

  it('takes the tolerations of pods that say nothing of them', () => {
    const options = parsed('--default-not-ready-toleration-seconds=7', '--default-unreachable-toleration-seconds=8');
    expect([options.notReadyTolerationSeconds, options.unreachableTolerationSeconds]).toEqual([7, 8]);
  });
});
