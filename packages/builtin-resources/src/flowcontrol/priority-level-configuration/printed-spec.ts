import type { LimitedPriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '@apiserver/api/flowcontrol/v1';

/** Formatted as upstream's internal type, whose fields have Go's names. */
export function printedPriorityLevelSpec({ type, limited, exempt }: PriorityLevelConfigurationSpec): object {
  return {
    Type: type,
    Limited: limited === undefined ? null : printedLimited(limited),
    Exempt:
      exempt === undefined
        ? null
        : {
            NominalConcurrencyShares: exempt.nominalConcurrencyShares ?? null,
            LendablePercent: exempt.lendablePercent ?? null,
          },
  };
}

function printedLimited(limited: LimitedPriorityLevelConfiguration): object {
  const { type, queuing } = limited.limitResponse;
  return {
    NominalConcurrencyShares: limited.nominalConcurrencyShares ?? 0,
    LimitResponse: {
      Type: type,
      Queuing:
        queuing === undefined
          ? null
          : {
              Queues: queuing.queues ?? 0,
              HandSize: queuing.handSize ?? 0,
              QueueLengthLimit: queuing.queueLengthLimit ?? 0,
            },
    },
    LendablePercent: limited.lendablePercent ?? null,
    BorrowingLimitPercent: limited.borrowingLimitPercent ?? null,
  };
}
