import type { DeviceClass } from '@apiserver/api/resource/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printDeviceClass of pkg/printers/internalversion/printers.go */
export const deviceClassColumns: readonly Column<DeviceClass>[] = [nameColumn, ageColumn];
