/** Number and average size of a resource's objects. */
export interface ObjectStats {
  readonly count: number;
  /** In bytes; 0 if unknown. */
  readonly averageBytes: number;
}
