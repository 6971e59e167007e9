import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { errorOf, isAlreadyExists, isConflict, isNotFound, messageOf } from '@apiserver/apimachinery/errors';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import {
  FLOW_SCHEMAS,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  PRIORITY_LEVELS,
  suggestedFlowSchemas,
  suggestedPriorityLevels,
} from '@apiserver/flowcontrol';
import {
  autoUpdateOf,
  hasEqualLevelSpec,
  hasEqualSpec,
  revised,
  type SpecComparison,
  type SpecObject,
  type Upkeep,
} from './auto-update.js';

const FIELD_MANAGER = 'api-priority-and-fairness-config-producer-v1';

/** The objects of one kind. */
interface Kind<T extends SpecObject> {
  readonly name: string;
  readonly client: ResourceClient<T>;
  readonly suggested: readonly T[];
  readonly mandatory: readonly T[];
  readonly isEqual: SpecComparison<T>;
}

/**
 * Creates and updates the bootstrap objects, and deletes those of older releases. Throws the first error.
 * Upstream: ensure of pkg/registry/flowcontrol/rest/storage_flowcontrol.go
 */
export async function ensureFlowControlObjects(client: LoopbackClient, logger: Logger): Promise<void> {
  const schemas = await upkeepOf<FlowSchema>(
    {
      name: 'FlowSchema',
      client: client.resource(FLOW_SCHEMAS),
      suggested: suggestedFlowSchemas,
      mandatory: mandatoryFlowSchemas,
      isEqual: hasEqualSpec,
    },
    logger,
  );
  const levels = await upkeepOf<PriorityLevelConfiguration>(
    {
      name: 'PriorityLevelConfiguration',
      client: client.resource(PRIORITY_LEVELS),
      suggested: suggestedPriorityLevels,
      mandatory: mandatoryPriorityLevels,
      isEqual: hasEqualLevelSpec,
    },
    logger,
  );
  for (const upkeep of ['suggested', 'mandatory'] as const) {
    await failingAs(`failed ensuring ${upkeep} settings`, async () => {
      await levels.ensure(upkeep);
      await schemas.ensure(upkeep);
    });
  }
  await failingAs('failed to delete removed settings', async () => {
    await schemas.removeUnwanted();
    await levels.removeUnwanted();
  });
}

async function failingAs(what: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    throw new UpkeepError(`${what} - ${messageOf(error)}`, { cause: errorOf(error).cause ?? error });
  }
}

async function upkeepOf<T extends SpecObject>(kind: Kind<T>, logger: Logger): Promise<ObjectUpkeep<T>> {
  const { items } = await kind.client.list('');
  return new ObjectUpkeep(kind, new Map(items.map(({ object }) => [object.metadata.name ?? '', object])), logger);
}

class ObjectUpkeep<T extends SpecObject> {
  readonly #kind: Kind<T>;
  readonly #current: ReadonlyMap<string, T>;
  readonly #logger: Logger;

  constructor(kind: Kind<T>, current: ReadonlyMap<string, T>, logger: Logger) {
    this.#kind = kind;
    this.#current = current;
    this.#logger = logger;
  }

  async ensure(upkeep: Upkeep): Promise<void> {
    for (const wanted of this.#kind[upkeep]) {
      const current = this.#current.get(wanted.metadata.name ?? '');
      if (current === undefined) await this.#create(wanted, upkeep);
      else await this.#update(current, wanted, upkeep);
    }
  }

  /** Deletes objects that an older release kept up to date. */
  async removeUnwanted(): Promise<void> {
    const { suggested, mandatory } = this.#kind;
    const wanted = new Set([...suggested, ...mandatory].map(({ metadata }) => metadata.name));
    for (const [name, object] of this.#current) {
      if (!wanted.has(name) && autoUpdateOf(object) === true) await this.#delete(name);
    }
  }

  /** Another server may do the same. */
  async #create(wanted: T, upkeep: Upkeep): Promise<void> {
    const { name: kind, client } = this.#kind;
    const { name } = wanted.metadata;
    try {
      await client.create('', wanted, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (isAlreadyExists(error)) return;
      throw new UpkeepError(`cannot create *v1.${kind} type=${upkeep} name="${name}" error=${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#logger.v(2)?.info(`Successfully created *v1.${kind}`, { type: upkeep, name });
  }

  async #update(current: T, wanted: T, upkeep: Upkeep): Promise<void> {
    const { name: kind, client, isEqual } = this.#kind;
    const { name } = wanted.metadata;
    const next = revised(current, wanted, upkeep, isEqual);
    if (next === undefined) return;
    try {
      await client.update('', next, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (isConflict(error)) {
        const text = `Something updated the *v1.${kind} concurrently, I will check its spec later`;
        this.#logger.v(2)?.info(text, { type: upkeep, name });
        return;
      }
      const message = `failed to update the *v1.${kind}, will retry later type=${upkeep} name="${name}"`;
      throw new UpkeepError(`${message} error=${messageOf(error)}`, { cause: error });
    }
    this.#logger.v(2)?.info(`Updated the *v1.${kind}`, { type: upkeep, name });
  }

  async #delete(name: string): Promise<void> {
    const { name: kind, client } = this.#kind;
    try {
      await client.delete('', name);
    } catch (error) {
      if (isNotFound(error)) return;
      throw new UpkeepError(`failed to delete unwatned APF object "${name}" - ${messageOf(error)}`, { cause: error });
    }
    this.#logger.v(2)?.info(`Successfully deleted the unwanted ${kind}`, { name });
  }
}

/** Tells that the objects of flow control are not as they should be, with the reason. */
export class UpkeepError extends Error {
  override readonly name = 'UpkeepError';
}
