import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { LeaderElectionTimers } from '@apiserver/controlplane';

/** Maximum random addition to the retry period. Upstream: JitterFactor of k8s.io/client-go/tools/leaderelection */
const JITTER = 1.2;
const NO_PROXY = 'requests are never passed on to other kube-apiservers';

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

  /** Upstream: validateCoordinatedLeadershipFlags of pkg/controlplane/apiserver/options, NewLeaderElector of client-go */
  validate(): readonly Error[] {
    const [lease, renew, retry] = ['lease-duration', 'renew-deadline', 'retry-period'].map(
      (name) => `--coordinated-leadership-${name}`,
    );
    const { leaseDuration, renewDeadline, retryPeriod } = this;
    return [
      ...(leaseDuration <= renewDeadline ? [new Error(`${lease} must be greater than ${renew}`)] : []),
      ...(renewDeadline <= retryPeriod * JITTER
        ? [new Error(`${renew} must be greater than ${retry}*JitterFactor`)]
        : []),
      ...(retryPeriod <= 0 ? [new Error(`${retry} must be greater than zero`)] : []),
    ];
  }

  get timers(): LeaderElectionTimers {
    const { leaseDuration, renewDeadline, retryPeriod } = this;
    return { leaseDuration, renewDeadline, retryPeriod };
  }

  #addLeadershipFlags(flags: FlagSet): void {
    flags.duration(
      'coordinated-leadership-lease-duration',
      field(this, 'leaseDuration'),
      'Duration of the lease by which one kube-apiserver holds elections. For the feature gate CoordinatedLeaderElection.',
    );
    flags.duration(
      'coordinated-leadership-renew-deadline',
      field(this, 'renewDeadline'),
      'Time after which a kube-apiserver that cannot renew this lease stops to hold elections.',
    );
    flags.duration(
      'coordinated-leadership-retry-period',
      field(this, 'retryPeriod'),
      'Time between two tries to take or renew this lease.',
    );
  }
}
