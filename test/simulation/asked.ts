import type { ResourceName } from '../../src/model/resource-names.ts'
import type { Feed } from './readings.ts'

/** One request taken apart. */
export interface Asked {
  readonly path: string
  readonly resource: ResourceName
  /** The list it is a page of; null for everything else. */
  readonly feed: Feed | null
  readonly cursor: string | null
  readonly updatedAfter: boolean
}

export function isFeedName(name: string): name is Feed {
  return name === 'users' || name === 'documents' || name === 'api-clients'
}

export function resourceOf(path: string): ResourceName {
  const [name = ''] = path.replace('/api/public/', '').split(/[/?]/)
  if (isFeedName(name) || name === 'roles' || name === 'permissions' || name === 'authentication-settings') return name
  throw new TypeError(`The daemon asked for ${path}`)
}

export function askedOf(path: string): Asked {
  const { pathname, searchParams } = new URL(path, 'http://tenant')
  const name = pathname.replace('/api/public/', '')
  return {
    path,
    resource: resourceOf(path),
    feed: isFeedName(name) ? name : null,
    cursor: searchParams.get('cursor'),
    updatedAfter: searchParams.has('updatedAfter'),
  }
}
