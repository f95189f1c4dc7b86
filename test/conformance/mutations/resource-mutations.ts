import {
  type Answer,
  editJson,
  emptyAnswer,
  isObject,
  type Json,
  type Mutation,
  objectsIn,
  problem,
  type Request,
  type World,
} from './mutation.js'

// What resources hold, how they change, and how lists are cut.

const printers = '/api/v1/printers/'
const prints = '/api/v1/prints/'
const files = '/api/v1/g_code_files/'
const isOne = (path: string, list: string): boolean => path.startsWith(list) && /^\d+\/$/.test(path.slice(list.length))

const authorization = ({ headers }: Request): Record<string, string> => ({
  authorization: headers['authorization'] ?? '',
})

/** Changes the query of requests for this path. */
const query = (list: string, change: (query: URLSearchParams) => void) => (request: Request) => {
  if (request.method !== 'GET' || request.path !== list) return
  change(request.query)
  request.url = `${list}?${request.query}`
}

/** Changes the JSON that is answered for paths that fit. */
const json =
  (fits: (request: Request) => boolean, edit: (body: unknown) => unknown) => (answer: Answer, request: Request) => {
    if (answer.status < 300 && fits(request)) editJson(answer, edit)
  }

const everyObject = (edit: (object: Json) => void) => (body: unknown) => {
  for (const object of objectsIn(body)) edit(object)
}

/** Answers a change as if it were done, and does nothing. */
async function pretend(request: Request, { ask }: World): Promise<Answer> {
  return ask('GET', request.path, authorization(request))
}

export const resourceMutations: readonly Mutation[] = [
  {
    id: 'delete-is-204',
    breaks: 'DELETE is answered with 204',
    cases: ['printers/delete', 'print-changes/delete', 'g-code-files/delete'],
    hooks: () => ({
      answer: (answer, { method }) => void (method === 'DELETE' && answer.status === 200 && (answer.status = 204)),
    }),
  },
  {
    id: 'delete-has-body',
    breaks: 'DELETE is answered with a body',
    cases: ['printers/delete', 'print-changes/delete'],
    hooks: () => ({
      answer: (answer, { method }) => {
        if (method === 'DELETE' && answer.status === 200) answer.body = Buffer.from('{"deleted":true}')
      },
    }),
  },
  {
    id: 'delete-does-nothing',
    breaks: 'DELETE of a print says 200 and leaves it there',
    cases: ['print-changes/delete'],
    hooks: () => ({
      request: ({ method, path }) => (method === 'DELETE' && isOne(path, prints) ? emptyAnswer(200) : undefined),
    }),
  },
  {
    id: 'patch-does-nothing',
    breaks: 'PATCH of a printer is answered but not carried out',
    cases: ['printers/update'],
    hooks: () => ({
      request: (request, world) =>
        request.method === 'PATCH' && isOne(request.path, printers) ? pretend(request, world) : undefined,
    }),
  },
  {
    id: 'patch-resets-the-rest',
    breaks: 'PATCH sets what it does not name',
    cases: ['printers/update'],
    hooks: () => ({
      request: (request) => {
        if (request.method !== 'PATCH' || !isOne(request.path, printers)) return
        editJson(request, (body) => (isObject(body) ? { retract_on_pause: 0.25, ...body } : body))
      },
    }),
  },
  {
    id: 'read-only-is-writable',
    breaks: 'PATCH changes normalized_p of a printer',
    cases: ['printers/update-read-only'],
    hooks: () => {
      const set = new Map<string, unknown>()
      return {
        request: ({ method, path, body }) => {
          if (method !== 'PATCH') return
          editJson({ body }, (change) => {
            if (isObject(change) && 'normalized_p' in change) set.set(path, change['normalized_p'])
          })
        },
        answer: (answer, { path }) => {
          if (!set.has(path)) return
          editJson(answer, (body) => (isObject(body) ? { ...body, normalized_p: set.get(path) } : body))
        },
      }
    },
  },
  {
    id: 'wrong-type-accepted',
    breaks: 'a wrong type in PATCH is no error',
    cases: ['printers/update-wrong-type', 'users/all-or-nothing'],
    hooks: () => ({
      answer: async (answer, request, world) => {
        if (request.method === 'PATCH' && answer.status === 400) Object.assign(answer, await pretend(request, world))
      },
    }),
  },
  {
    id: 'profile-not-saved',
    breaks: 'PATCH of the profile is answered but not carried out',
    cases: ['users/update'],
    hooks: () => ({
      request: (request, world) =>
        request.method === 'PATCH' && request.path === '/api/v1/users/me/' ? pretend(request, world) : undefined,
    }),
  },
  {
    id: 'archived-listed',
    breaks: 'archived printers are always in the list',
    cases: ['printers/archive'],
    hooks: () => ({ request: query(printers, (params) => params.set('with_archived', 'true')) }),
  },
  {
    id: 'with-archived-ignored',
    breaks: 'archived printers are never in the list',
    cases: ['printers/archive'],
    hooks: () => ({ request: query(printers, (params) => params.delete('with_archived')) }),
  },
  {
    id: 'unarchive-missing',
    breaks: 'there is no way to undo archiving',
    cases: ['printers/archive-again'],
    hooks: () => ({ request: ({ path }) => (path.endsWith('/unarchive/') ? problem(404, 'not_found') : undefined) }),
  },
  {
    id: 'printer-lacks-current-print',
    breaks: 'printers have no current_print',
    cases: ['printers/get', 'transitions/PrintStarted'],
    hooks: () => ({
      answer: json(
        ({ path }) => path.startsWith(printers),
        everyObject((object) => void delete object['current_print']),
      ),
    }),
  },
  {
    id: 'print-names-printer-by-id',
    breaks: 'the printer of a print is its id',
    cases: ['prints/get', 'prints/shape'],
    hooks: () => ({
      answer: json(
        ({ path }) => path.startsWith(prints),
        everyObject((object) => {
          if (isObject(object['printer'])) object['printer'] = object['printer']['id']
        }),
      ),
    }),
  },
  {
    id: 'finished-at-missing',
    breaks: 'finished_at is never set',
    cases: ['transitions/PrintDone'],
    hooks: () => ({
      answer: json(
        ({ path }) => path.startsWith(prints),
        everyObject((object) => void ('finished_at' in object && (object['finished_at'] = null))),
      ),
    }),
  },
  {
    id: 'no-total-count',
    breaks: 'lists lack X-Total-Count',
    cases: ['printers/total-count', 'prints/links'],
    hooks: () => ({ answer: ({ headers }) => void delete headers['x-total-count'] }),
  },
  {
    id: 'total-count-of-page',
    breaks: 'X-Total-Count counts the page, not all of them',
    cases: ['print-lists/total-of-filter', 'g-code-files/total-and-links'],
    hooks: () => ({
      answer: (answer) =>
        editJson(answer, (body) => {
          if (Array.isArray(body) && 'x-total-count' in answer.headers) {
            answer.headers['x-total-count'] = String(body.length)
          }
        }),
    }),
  },
  {
    id: 'no-links',
    breaks: 'lists lack Link',
    cases: ['print-lists/link-relations', 'g-code-files/total-and-links'],
    hooks: () => ({ answer: ({ headers }) => void delete headers['link'] }),
  },
  {
    id: 'sort-reversed',
    breaks: 'date_asc and date_desc are the wrong way round',
    cases: ['prints/sorting', 'print-lists/opposite'],
    hooks: () => ({
      request: query(prints, (params) => {
        const sorting = params.get('sorting')
        if (sorting !== null) params.set('sorting', sorting === 'date_asc' ? 'date_desc' : 'date_asc')
      }),
    }),
  },
  {
    id: 'limit-ignored',
    breaks: 'limit is ignored',
    cases: ['prints/start-and-limit'],
    hooks: () => ({ request: query(prints, (params) => params.delete('limit')) }),
  },
  {
    id: 'start-ignored',
    breaks: 'start is ignored',
    cases: ['prints/start-and-limit'],
    hooks: () => ({ request: query(prints, (params) => params.delete('start')) }),
  },
  {
    id: 'start-without-sorting',
    breaks: 'start and limit are accepted without sorting',
    cases: ['prints/start-without-sorting', 'prints/limit-without-sorting'],
    hooks: () => ({
      request: query(prints, (params) => {
        if (!params.has('sorting')) params.set('sorting', 'date_desc')
      }),
    }),
  },
  {
    id: 'limit-unbounded',
    breaks: 'limit has no maximum',
    cases: ['prints/limit-maximum'],
    hooks: () => ({
      request: query(prints, (params) => {
        if (Number(params.get('limit')) > 500) params.set('limit', '500')
      }),
    }),
  },
  {
    id: 'filter-ignored',
    breaks: 'filter is ignored',
    cases: ['prints/filter-finished', 'prints/filter-cancelled'],
    hooks: () => ({ request: query(prints, (params) => params.delete('filter')) }),
  },
  {
    id: 'unknown-filter-ignored',
    breaks: 'a filter that is none is ignored',
    cases: ['prints/bad-query'],
    hooks: () => ({
      request: query(prints, (params) => {
        if (params.get('filter') === 'lost') params.delete('filter')
      }),
    }),
  },
  {
    id: 'failed-is-cancelled',
    breaks: 'filter=failed gives cancelled prints too',
    cases: ['prints/filter-failed'],
    hooks: () => ({
      request: query(prints, (params) => {
        if (params.get('filter') === 'failed') params.set('filter', 'cancelled')
      }),
    }),
  },
  {
    id: 'overwritten-still-needed',
    breaks: 'filter=need_alert_overwrite ignores alert_overwrite',
    cases: ['print-changes/need-alert-overwrite'],
    hooks: () => ({
      request: query(prints, (params) => {
        if (params.get('filter') === 'need_alert_overwrite') params.delete('filter')
      }),
    }),
  },
  {
    id: 'singular-path-missing',
    breaks: 'there is no /api/v1/print/{id}/',
    cases: ['prints/singular-path'],
    hooks: () => ({
      request: ({ path }) => (path.startsWith('/api/v1/print/') ? problem(404, 'not_found') : undefined),
    }),
  },
  {
    id: 'bulk-delete-counts-wishes',
    breaks: 'bulk_delete counts what was named, not what was deleted',
    cases: ['print-changes/bulk-delete'],
    hooks: () => ({
      answer: (answer, { path, body }) => {
        if (!path.endsWith('/prints/bulk_delete/')) return
        const { print_ids = [] } = JSON.parse(body.toString()) as { print_ids?: number[] }
        editJson(answer, (told) => (isObject(told) && 'deleted' in told ? { deleted: print_ids.length } : told))
      },
    }),
  },
  {
    id: 'page-ignored',
    breaks: 'page is ignored',
    cases: ['g-code-files/page-size', 'g-code-files/pages'],
    hooks: () => ({ request: query(files, (params) => params.delete('page')) }),
  },
  {
    id: 'page-size-ignored',
    breaks: 'page_size is ignored',
    cases: ['g-code-files/page-size'],
    hooks: () => ({ request: query(files, (params) => params.delete('page_size')) }),
  },
  {
    id: 'list-in-envelope',
    breaks: 'G-code files come in an envelope',
    cases: ['g-code-files/upload'],
    hooks: () => ({
      answer: json(
        ({ path, method }) => path === files && method === 'GET',
        (results) => ({ count: 1, results }),
      ),
    }),
  },
  {
    id: 'download-damaged',
    breaks: 'a downloaded file differs from the one that was uploaded',
    cases: ['g-code-files/download', 'g-code-files/any-bytes'],
    hooks: () => ({
      answer: (answer, { path }) => {
        if (path.startsWith('/media/')) answer.body = Buffer.concat([answer.body.subarray(1), Buffer.from('x')])
      },
    }),
  },
  {
    id: 'download-needs-token',
    breaks: 'the signed address of a file asks for a token',
    cases: ['g-code-files/download'],
    hooks: () => ({ request: ({ path }) => (path.startsWith('/media/') ? problem(401, 'unauthorized') : undefined) }),
  },
  {
    id: 'media-unsigned',
    breaks: 'files are given to anybody who knows the path',
    cases: ['g-code-files/download-signed', 'snapshots/url-signed'],
    hooks: () => {
      const signed = new Map<string, string>()
      return {
        answer: ({ body }) => {
          for (const [address = ''] of body.toString().matchAll(/http:[^"\s]*\/media\/[^"\s]*/g)) {
            const { pathname, search } = new URL(address)
            signed.set(pathname, pathname + search)
          }
        },
        request: (request) => {
          if (!request.url.includes('?')) request.url = signed.get(request.url) ?? request.url
        },
      }
    },
  },
  {
    id: 'junk-is-a-picture',
    breaks: 'a snapshot that is no picture is accepted',
    cases: ['snapshots/not-a-picture'],
    hooks: () => ({
      answer: (answer, { path }) => {
        if (path !== '/api/v1/agent/pic/' || answer.status !== 400) return
        answer.status = 200
        answer.body = Buffer.from('{"result":"ok"}')
      },
    }),
  },
  {
    id: 'pic-not-shown',
    breaks: 'an uploaded snapshot does not become the pic',
    cases: ['snapshots/pic'],
    hooks: () => ({
      answer: json(
        ({ path }) => path.startsWith(printers),
        everyObject((object) => void ('pic' in object && (object['pic'] = null))),
      ),
    }),
  },
]
