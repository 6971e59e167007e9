/** What a member tells of itself. */
export interface EtcdStatus {
  /** "3.4.23" */
  readonly version: string;
  /** Bytes its database takes on disk. */
  readonly databaseSize: number;
}

/** What is asked rarely: leases and maintenance. */
export interface EtcdAdministration {
  /** Answers the id of a new lease. */
  grantLease(seconds: number): Promise<number>;
  /** Asks one member. */
  status(endpoint: string): Promise<EtcdStatus>;
  close(): Promise<void>;
}

const LEASE_IDS = 2 ** 48 - 1;

/** An id that nobody else has. */
export function newLeaseId(random: (bound: number) => number): number {
  return 1 + random(LEASE_IDS);
}
