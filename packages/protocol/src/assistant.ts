import { z } from 'zod'
import { Timestamp } from './resources.js'

/** A user's AI credits. A quota of −1 is unlimited: then nothing is counted. */
export const AiCredits = z
  .object({
    user: z.int().positive(),
    ai_credit_free_monthly_quota: z.int(),
    ai_credit_used_current_month: z.int(),
    /** Credits that an administrator has granted and that are left. They are used after the month's, and do not expire. */
    ai_credit_granted: z.int().nonnegative(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'AiCredits' })
export type AiCredits = z.infer<typeof AiCredits>

/** Why a balance changed. `quota`: another quota was set. `reset`: a new month. */
export const AI_CREDIT_ENTRY_KINDS = ['quota', 'reset', 'grant', 'debit', 'refund'] as const
export const AiCreditEntryKind = z.enum(AI_CREDIT_ENTRY_KINDS)
export type AiCreditEntryKind = z.infer<typeof AiCreditEntryKind>

/** One line of the book of a user's credits. The sums of both columns are what is left. */
export const AiCreditEntry = z
  .object({
    id: z.int().positive(),
    kind: AiCreditEntryKind,
    /** What was added to the month's free credits, or taken from them. */
    free: z.int(),
    /** The same of the granted credits. */
    granted: z.int(),
    /** Of a debit, what was asked; of a grant, the administrator's note. */
    about: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'AiCreditEntry' })
export type AiCreditEntry = z.infer<typeof AiCreditEntry>

/** The assistant's view of the user. */
export const AssistantMe = z
  .object({
    user: z.object({
      id: z.int().positive(),
      username: z.string().nullable(),
      email: z.string(),
      first_name: z.string(),
      last_name: z.string(),
    }),
    ai_credits: AiCredits,
  })
  .meta({ id: 'AssistantMe' })
export type AssistantMe = z.infer<typeof AssistantMe>

/** The longest history of a chat, in characters. */
export const MAX_CHAT_LENGTH = 200_000

const chatText = z.string().max(1000).nullable()

/** What a user may write of a chat. `messages` is the client's own: JSON text of an array, kept as it is. */
const chatFields = {
  messages: z.string({ error: 'Not a valid string.' }).max(MAX_CHAT_LENGTH).regex(/\S/, 'This field may not be blank.'),
  machine_name: chatText,
  filament_name: chatText,
  print_process_name: chatText,
  slicing_settings_json: z.string().max(MAX_CHAT_LENGTH).nullable(),
  /** `positive` or `negative`. */
  user_feedback: z.string().max(16).nullable(),
  user_feedback_text: z.string().max(5000).nullable(),
}

/** A chat as a client keeps it here. */
export const Chat = z
  .object({ id: z.int().positive(), ...chatFields, created_at: Timestamp, updated_at: Timestamp })
  .meta({ id: 'Chat' })
export type Chat = z.infer<typeof Chat>

/** Changes of a chat: what is not sent stays. */
export const ChatChanges = z.object(chatFields).partial().meta({ id: 'ChatChanges' })
export type ChatChanges = z.infer<typeof ChatChanges>

export const NewChat = ChatChanges.required({ messages: true }).meta({ id: 'NewChat' })
export type NewChat = z.infer<typeof NewChat>

/** One turn of a conversation, as a client sends it. */
export const ChatTurn = z
  .object({ role: z.enum(['user', 'assistant']), content: z.string().max(100_000) })
  .meta({ id: 'ChatTurn' })
export type ChatTurn = z.infer<typeof ChatTurn>

const settings = z.record(z.string(), z.unknown())

/** A preset of a slicer with its settings by name. */
export const SlicerPreset = z
  .object({ name: z.string().max(1000), is_selected: z.boolean().nullish(), config: settings.nullish() })
  .meta({ id: 'SlicerPreset' })
export type SlicerPreset = z.infer<typeof SlicerPreset>

/** What a slicer has loaded. */
export const SlicingProfiles = z
  .object({
    filament_presets: z.array(SlicerPreset).max(100).nullish(),
    print_process_presets: z.array(SlicerPreset).max(500).nullish(),
    filament_overrides: settings.nullish(),
    print_process_overrides: settings.nullish(),
  })
  .meta({ id: 'SlicingProfiles' })
export type SlicingProfiles = z.infer<typeof SlicingProfiles>

const nameOrNumber = z.union([z.int(), z.string().max(200)]).nullish()

/** One model on a plate. */
export const ModelObject = z
  .object({ id: nameOrNumber, name: z.string().max(1000).nullish(), extruder_id: nameOrNumber })
  .meta({ id: 'ModelObject' })
export type ModelObject = z.infer<typeof ModelObject>

/** A plate with the models on it. */
export const Plate = z.object({ model_objects: z.array(ModelObject).max(1000).nullish() }).meta({ id: 'Plate' })
export type Plate = z.infer<typeof Plate>

const plates = z.array(Plate).max(100)
const chatId = z.union([z.int(), z.string().max(100)]).nullish()

/** A question to the assistant: the whole conversation each time, since the server keeps none of it. */
export const ChatQuestion = z
  .object({
    messages: z.array(ChatTurn).min(1).max(500),
    /** For the client's own tracing. */
    chat_id: chatId,
    slicing_profiles: SlicingProfiles.nullish(),
    plates: plates.nullish(),
  })
  .meta({ id: 'ChatQuestion' })
export type ChatQuestion = z.infer<typeof ChatQuestion>

/** The most pictures of a plate, and the longest of them as text. */
export const MAX_PLATE_PICTURES = 8
export const MAX_PLATE_PICTURE_LENGTH = 12_000_000

export const PlateQuestion = z
  .object({
    /** JPEG, PNG or WebP, as a data URL or as base64 alone. */
    images: z.array(z.string().max(MAX_PLATE_PICTURE_LENGTH)).min(1).max(MAX_PLATE_PICTURES),
    plates,
    messages: z.array(ChatTurn).max(500).nullish(),
    chat_id: chatId,
  })
  .meta({ id: 'PlateQuestion' })
export type PlateQuestion = z.infer<typeof PlateQuestion>

/** What the assistant may ask a slicer to do. The slicer asks its user. */
export const AGENT_ACTIONS = [
  'start_chat_over',
  'slice_model',
  'auto_orient_all_models',
  'auto_arrange_all_models',
  'add_printers',
  'change_printer',
  'add_filaments',
  'change_filament',
  'contact_support',
] as const

const AgentAction = z.object({ name: z.enum(AGENT_ACTIONS), arguments: settings }).meta({ id: 'AgentAction' })
export type AgentAction = z.infer<typeof AgentAction>

const OverrideExplanation = z
  .object({ parameter: z.string(), explanation: z.string() })
  .meta({ id: 'OverrideExplanation' })

const SuggestedProfiles = z
  .object({
    use_print_process_preset: z.string(),
    filament_overrides: z.record(z.string(), z.array(z.string())),
    print_process_overrides: z.record(z.string(), z.string()),
  })
  .meta({ id: 'SuggestedProfiles' })

/** Something of the user's own that the assistant looked at for its answer: shown, so that the answer can be judged. */
export const AssistantLook = z
  .object({
    /** The tool's name, as `list_prints`. */
    tool: z.string(),
    /** In words: `the last 10 prints of Left`. */
    about: z.string(),
  })
  .meta({ id: 'AssistantLook' })
export type AssistantLook = z.infer<typeof AssistantLook>

/** A picture of the user's own that belongs to an answer. */
export const AssistantPicture = z
  .object({
    url: z.string(),
    caption: z.string(),
    printer_id: z.int().positive().nullable(),
    print_id: z.int().positive().nullable(),
  })
  .meta({ id: 'AssistantPicture' })
export type AssistantPicture = z.infer<typeof AssistantPicture>

/** What the assistant may propose to do with a printer. */
export const PROPOSED_ACTIONS = ['pause', 'resume', 'cancel', 'print'] as const
export const ProposedAction = z.enum(PROPOSED_ACTIONS)
export type ProposedAction = z.infer<typeof ProposedAction>

/** How a proposal stands. Only one that is `waiting` can be confirmed, and only once. */
export const ProposalState = z.enum(['waiting', 'running', 'done', 'failed', 'dismissed', 'expired'])
export type ProposalState = z.infer<typeof ProposalState>

/** An action that the assistant proposes. Nothing happens before the user confirms it in the dashboard. */
export const ActionProposal = z
  .object({
    id: z.int().positive(),
    action: ProposedAction,
    printer_id: z.int().positive(),
    printer_name: z.string(),
    /** The print that is meant by `pause`, `resume` and `cancel`: another one is never touched. */
    print_id: z.int().positive().nullable(),
    /** The stored file that `print` starts. */
    g_code_file_id: z.int().positive().nullable(),
    filename: z.string().nullable(),
    /** The model's own words, to be shown as such. */
    reason: z.string(),
    state: ProposalState,
    /** Why it failed. */
    error: z.string().nullable(),
    created_at: Timestamp,
    /** From then on it cannot be confirmed any more. */
    expires_at: Timestamp,
    decided_at: Timestamp.nullable(),
  })
  .meta({ id: 'ActionProposal' })
export type ActionProposal = z.infer<typeof ActionProposal>

/** What the assistant says. */
export const AssistantMessage = z
  .object({
    role: z.literal('assistant'),
    content: z.string(),
    agent_actions: z.array(AgentAction).optional(),
    per_override_explanations: z.array(OverrideExplanation).optional(),
    slicing_profiles: SuggestedProfiles.optional(),
    /** A general strategy for printing the plate, in plain text. */
    suggested_printing_method: z.string().optional(),
    /** Of a question that is no slicer's: what was looked at, pictures that belong to the answer, and what it proposes to do. */
    looked_at: z.array(AssistantLook).optional(),
    pictures: z.array(AssistantPicture).optional(),
    proposals: z.array(ActionProposal).optional(),
  })
  .meta({ id: 'AssistantMessage' })
export type AssistantMessage = z.infer<typeof AssistantMessage>

export const AssistantAnswer = z.object({ message: AssistantMessage }).meta({ id: 'AssistantAnswer' })

/** The events of an answer that is streamed: text as it comes, what is looked at meanwhile, then the whole message, or why there is none. */
export const ASSISTANT_STREAM_EVENTS = ['delta', 'look', 'message', 'error'] as const
export type AssistantStreamEvent = (typeof ASSISTANT_STREAM_EVENTS)[number]

/** How a support request stands. `kept`: there is nowhere to send it; administrators find it here. */
export const SupportRequestState = z.enum(['waiting', 'sent', 'failed', 'kept'])
export type SupportRequestState = z.infer<typeof SupportRequestState>

export const SupportRequest = z
  .object({
    id: z.int().positive(),
    user: z.int().positive(),
    email: z.string(),
    message: z.string(),
    /** What the user has agreed to send along, as JSON text; null without consent. */
    diagnostics: z.string().nullable(),
    state: SupportRequestState,
    /** Why it could not be sent when that was last tried. */
    error: z.string().nullable(),
    created_at: Timestamp,
    sent_at: Timestamp.nullable(),
  })
  .meta({ id: 'SupportRequest' })
export type SupportRequest = z.infer<typeof SupportRequest>
