import type { DeleteOptions, KubeObject } from '@apiserver/apimachinery';
import type { ValidateObject } from '@apiserver/apiserver-contracts';

/** The client's request for a delete. */
export interface DeleteRequest<T extends KubeObject> {
  readonly name: string;
  readonly validate: ValidateObject<T>;
  readonly options: DeleteOptions;
}
