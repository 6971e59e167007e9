import { type FlagSet, field } from '@apiserver/component-base/flags';

const NO_PROXY = 'requests are never passed on to other kube-apiservers';
const NO_ELECTION = 'the feature gate CoordinatedLeaderElection is off';

/**
 * Several servers of different versions beside each other, and the leases of coordinated leaders.
 * Upstream: pkg/controlplane/apiserver/options.Options (Peer…, CoordinatedLeadership…)
 */
export class PeerOptions {
  /** `--peer-ca-file` */
  caFile = '';
  /** `--peer-advertise-ip` */
  advertiseIp = '';
  /** `--peer-advertise-port` */
  advertisePort = '';
  /** `--coordinated-leadership-lease-duration`, in milliseconds, as the two below. */
  leaseDuration = 15_000;
  /** `--coordinated-leadership-renew-deadline` */
  renewDeadline = 10_000;
  /** `--coordinated-leadership-retry-period` */
  retryPeriod = 2_000;

  addFlags(flags: FlagSet): void {
    const proxy = { noEffect: NO_PROXY };
    flags.string(
      'peer-ca-file',
      field(this, 'caFile'),
      'PEM file of certificate authorities that verify other kube-apiservers.',
      proxy,
    );
    flags.string(
      'peer-advertise-ip',
      field(this, 'advertiseIp'),
      'IP address by which other kube-apiservers reach this one.',
      proxy,
    );
    flags.string(
      'peer-advertise-port',
      field(this, 'advertisePort'),
      'Port by which other kube-apiservers reach this one.',
      proxy,
    );
    this.#addLeadershipFlags(flags);
  }

  #addLeadershipFlags(flags: FlagSet): void {
    const election = { noEffect: NO_ELECTION };
    flags.duration(
      'coordinated-leadership-lease-duration',
      field(this, 'leaseDuration'),
      'Duration of the leases of coordinated leader election.',
      election,
    );
    flags.duration(
      'coordinated-leadership-renew-deadline',
      field(this, 'renewDeadline'),
      'Time within which a coordinated leader must renew its lease.',
      election,
    );
    flags.duration(
      'coordinated-leadership-retry-period',
      field(this, 'retryPeriod'),
      'Time between two tries to renew the lease of a coordinated leader.',
      election,
    );
  }
}
