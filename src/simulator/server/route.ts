import type { Endpoint } from '../resources/endpoint.ts'
import { endpoints } from '../resources/index.ts'
import { ApiError, notFound } from './api-error.ts'

export type Route =
  | { readonly endpoint: Endpoint; readonly id: string }
  | { readonly endpoint: null; readonly template: string | null; readonly error: ApiError }

const root = '/api/public/'

function templateOf(path: string): { template: string; id: string } {
  const [resource = '', id, ...rest] = path.startsWith(root) ? path.slice(root.length).split('/') : []
  if (id === undefined) return { template: path, id: '' }
  if (id === '' || rest.length > 0) return { template: '', id: '' }
  return { template: `${root}${resource}/{id}`, id }
}

/** Finds the endpoint of a request; unknown paths are 404, other methods of a known path 405. */
export function findRoute(method: string, path: string): Route {
  const { template, id } = templateOf(path)
  const ofPath: readonly Endpoint[] = endpoints.filter((endpoint) => endpoint.template === template)
  const endpoint = ofPath.find((one) => one.method === method)
  if (endpoint !== undefined) return { endpoint, id }
  if (ofPath.length === 0) return { endpoint: null, template: null, error: notFound('No such path') }
  const allow = ofPath.map((one) => one.method).join(', ')
  const error = new ApiError(405, 'METHOD_NOT_ALLOWED', `Only ${allow} is allowed here`, [], { allow })
  return { endpoint: null, template, error }
}
