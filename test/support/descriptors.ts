import type { ResourceDefinition } from '../../src/model/resource.ts'
import { type ResourceName, type SyncMode, syncModes } from '../../src/model/resource-names.ts'
import { resources } from '../../src/resources/index.ts'
import type { PermissionCode } from '../../src/simulator/index.ts'

const all: readonly ResourceDefinition[] = resources

const isKind = (wanted: ResourceDefinition['kind']) => (resource: string) =>
  all.some(({ name, kind }) => name === resource && kind === wanted)

export const isFeed = isKind('feed')
export const isPagedList = isKind('pagedList')

/** What can be synced: a feed both ways, any other in full. */
export const ways = all.flatMap(({ name, kind }) =>
  (kind === 'feed' ? syncModes : (['full'] as const)).map((mode): readonly [ResourceName, SyncMode] => [name, mode]),
)

export const permissionsOf = (some: readonly ResourceDefinition[]): PermissionCode[] => [
  ...new Set(some.map(({ permission }) => permission as PermissionCode)),
]
