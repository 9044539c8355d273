import type { Envelope } from '../server/envelope.ts'
import type { FaultEffect } from './effect.ts'

export interface ReshapeContext {
  readonly previousData: unknown
  readonly cursor: string | null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const idFields = ['userId', 'fileId', 'clientId', 'roleId', 'permissionId']

function listOf(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data : []
}

function mapRecords(data: unknown, change: (record: unknown) => unknown): unknown {
  return Array.isArray(data) ? data.map(change) : isObject(data) ? change(data) : data
}

function isOneOf(record: unknown, ids: readonly (string | number)[]): boolean {
  if (!isObject(record)) return false
  const field = idFields.find((name) => name in record)
  return field !== undefined && ids.some((id) => String(id).toLowerCase() === String(record[field]).toLowerCase())
}

export function reshape(envelope: unknown, effect: FaultEffect, context: ReshapeContext): unknown {
  if (!isObject(envelope)) return envelope
  const pagination = isObject(envelope['pagination']) ? envelope['pagination'] : {}
  switch (effect.kind) {
    case 'transform':
      return effect.transform(envelope as unknown as Envelope)
    case 'merge':
      return mergePatch(envelope, effect.patch)
    case 'set':
      return setMember(envelope, effect.path, effect.value)
    case 'patch-records':
      return { ...envelope, data: mapRecords(envelope['data'], (record) => mergePatch(record, effect.patch)) }
    case 'duplicate': {
      const [first] = listOf(envelope['data'])
      if (first === undefined) return envelope
      const list = listOf(envelope['data'])
      const copy = mergePatch(first, effect.patch)
      return { ...envelope, data: effect.before === true ? [copy, ...list] : [...list, copy] }
    }
    case 'drop':
      return Array.isArray(envelope['data'])
        ? { ...envelope, data: listOf(envelope['data']).filter((record) => !isOneOf(record, effect.ids)) }
        : envelope
    case 'empty': {
      const isPage = isObject(envelope['pagination'])
      return { ...envelope, data: [], pagination: isPage ? { ...pagination, nextCursor: null, hasMore: false } : null }
    }
    case 'repeat-page':
      return { ...envelope, data: context.previousData ?? envelope['data'] }
    case 'repeat-cursor':
      return {
        ...envelope,
        pagination: { ...pagination, nextCursor: context.cursor ?? pagination['nextCursor'], hasMore: true },
      }
    default:
      return envelope
  }
}

type Members = Record<string, unknown>

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Applies a JSON merge patch (RFC 7396): null removes a member. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch
  const result: Members = isMembers(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = mergePatch(result[name], value)
  }
  return result
}

function setMember(target: unknown, path: string, value: unknown): unknown {
  const [name = '', ...rest] = path.split('.')
  const copy: Members = isMembers(target) ? { ...target } : {}
  copy[name] = rest.length === 0 ? value : setMember(copy[name], rest.join('.'), value)
  return copy
}
