import { type FlagSet, field } from '@apiserver/component-base/flags';

/**
 * Options of the built-in resources.
 * Upstream: cmd/kube-apiserver/app/options (Extra), k8s.io/apiserver/pkg/server/options.EtcdOptions for events
 */
export class ResourceOptions {
  /** `--allow-privileged` */
  allowPrivileged = false;
  /** `--enable-logs-handler` */
  enableLogsHandler = false;
  /** `--max-connection-bytes-per-sec`; 0 or less for no limit. */
  maxConnectionBytesPerSec = 0;
  /** `--event-ttl`, in milliseconds; 0 for ever. */
  eventTtl = 60 * 60 * 1_000;

  addFlags(flags: FlagSet): void {
    flags.bool('allow-privileged', field(this, 'allowPrivileged'), 'Allow privileged containers.');
    flags.bool('enable-logs-handler', field(this, 'enableLogsHandler'), 'Serve the files of /var/log at /logs/.', {
      deprecated: 'Log handler functionality is deprecated',
      hidden: false,
    });
    flags.int(
      'max-connection-bytes-per-sec',
      field(this, 'maxConnectionBytesPerSec'),
      'Limit for each direction of an upgraded connection to a pod, service or node. 0: no limit.',
    );
    flags.duration('event-ttl', field(this, 'eventTtl'), 'Time for which events are kept. 0: for ever.');
  }

  validate(): readonly Error[] {
    return this.eventTtl < 0 ? [new Error('--event-ttl can not be a negative value')] : [];
  }
}
