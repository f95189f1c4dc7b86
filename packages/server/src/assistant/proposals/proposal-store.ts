import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AssistantProposalsTable, Tables } from '../../tables.js'

type Db = Kysely<Tables>

export type ProposalRow = Selectable<AssistantProposalsTable>

/** A proposal as it is shown: with its printer's name. */
export type ProposalRecord = ProposalRow & { readonly printer_name: string }

/** What is proposed, before it has a number. */
export type NewProposal = Pick<Insertable<AssistantProposalsTable>, 'user_id' | 'printer_id' | 'action' | 'reason'> &
  Pick<ProposalRow, 'print_id' | 'g_code_file_id' | 'filename'>

function records(db: Db, userId: number) {
  return db
    .selectFrom('assistant_proposals')
    .innerJoin('printers', 'printers.id', 'assistant_proposals.printer_id')
    .selectAll('assistant_proposals')
    .select('printers.name as printer_name')
    .where('assistant_proposals.user_id', '=', userId)
}

/** One page of what was proposed to a user, newest first. */
export function listProposals(
  db: Db,
  userId: number,
  page: { readonly start: number; readonly limit: number },
): Promise<ProposalRecord[]> {
  return records(db, userId).orderBy('assistant_proposals.id', 'desc').offset(page.start).limit(page.limit).execute()
}

/** How many all pages hold together. */
export async function countProposals(db: Db, userId: number): Promise<number> {
  const query = db.selectFrom('assistant_proposals').select((eb) => eb.fn.countAll<number | string>().as('count'))
  return Number((await query.where('user_id', '=', userId).executeTakeFirstOrThrow()).count)
}

/** The proposal, when it was made to this user. */
export function findVisibleProposal(db: Db, userId: number, id: number): Promise<ProposalRecord | undefined> {
  return records(db, userId).where('assistant_proposals.id', '=', id).executeTakeFirst()
}

/** Renews the proposal of the same thing that still waits: it gets the time and the reason of the new one. Undefined when there is none. */
export async function renewWaitingTwin(
  db: Db,
  wanted: NewProposal,
  { now, expires_at }: { readonly now: number; readonly expires_at: number },
): Promise<ProposalRecord | undefined> {
  const twin = await findWaitingTwin(db, wanted, now)
  if (twin === undefined) return undefined
  const { reason } = wanted
  const query = db.updateTable('assistant_proposals').set({ reason, expires_at }).where('id', '=', twin.id)
  // Decided meanwhile it is no longer the same.
  const renewed = await query.where('state', '=', 'waiting').executeTakeFirst()
  return renewed.numUpdatedRows > 0n ? { ...twin, reason, expires_at } : undefined
}

function findWaitingTwin(db: Db, wanted: NewProposal, now: number): Promise<ProposalRecord | undefined> {
  const { print_id, g_code_file_id } = wanted
  return records(db, wanted.user_id)
    .where('assistant_proposals.printer_id', '=', wanted.printer_id)
    .where('assistant_proposals.action', '=', wanted.action)
    .where('assistant_proposals.print_id', print_id === null ? 'is' : '=', print_id)
    .where('assistant_proposals.g_code_file_id', g_code_file_id === null ? 'is' : '=', g_code_file_id)
    .where('assistant_proposals.state', '=', 'waiting')
    .where('assistant_proposals.expires_at', '>', now)
    .limit(1)
    .executeTakeFirst()
}

export async function insertProposal(trx: Db, row: Insertable<AssistantProposalsTable>): Promise<ProposalRecord> {
  const { id, user_id } = await trx
    .insertInto('assistant_proposals')
    .values(row)
    .returning(['id', 'user_id'])
    .executeTakeFirstOrThrow()
  return records(trx, user_id).where('assistant_proposals.id', '=', id).executeTakeFirstOrThrow()
}

/** Takes a decision about a proposal that waits and has not expired. Of several who try, one is told that it did. */
export async function decideProposal(
  db: Db,
  userId: number,
  id: number,
  { state, now }: { readonly state: 'running' | 'dismissed'; readonly now: number },
): Promise<boolean> {
  const query = db.updateTable('assistant_proposals').set({ state, decided_at: now }).where('id', '=', id)
  const waiting = query.where('user_id', '=', userId).where('state', '=', 'waiting').where('expires_at', '>', now)
  return (await waiting.executeTakeFirst()).numUpdatedRows > 0n
}

/** Notes how what was confirmed has ended. */
export async function endProposal(
  db: Db,
  id: number,
  ended: { readonly state: 'done' | 'failed'; readonly error: string | null },
): Promise<void> {
  await db.updateTable('assistant_proposals').set(ended).where('id', '=', id).where('state', '=', 'running').execute()
}

/** Forgets what was proposed to a user long ago. */
export async function pruneProposals(db: Db, userId: number, createdBefore: number): Promise<void> {
  const query = db.deleteFrom('assistant_proposals').where('user_id', '=', userId)
  await query.where('created_at', '<', createdBefore).execute()
}
