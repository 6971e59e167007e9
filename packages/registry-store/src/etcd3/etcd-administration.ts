/** The status of a member. */
export interface EtcdStatus {
  /** "3.4.23" */
  readonly version: string;
  /** Size of its database on disk in bytes. */
  readonly databaseSize: number;
}

/** Rare requests: leases and maintenance. */
export interface EtcdAdministration {
  /** Returns the id of a new lease. */
  grantLease(seconds: number): Promise<number>;
  /** Asks one member. */
  status(endpoint: string): Promise<EtcdStatus>;
  close(): Promise<void>;
}

const LEASE_IDS = 2 ** 48 - 1;

/** A unique id. */
export function newLeaseId(random: (bound: number) => number): number {
  return 1 + random(LEASE_IDS);
}
