// Answers that are under way on each connection: when it closes, all of them do, also those that wait behind another.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class OpenAnswers {
  readonly #answers = new WeakMap<Socket, Set<ServerResponse>>();

  add(socket: Socket, response: ServerResponse): void {
    const answers = this.#answers.get(socket) ?? this.#watch(socket);
    answers.add(response);
    response.once('close', () => answers.delete(response));
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const answers = new Set<ServerResponse>();
    this.#answers.set(socket, answers);
    socket.once('close', () => {
      for (const response of answers) closeUnassigned(response);
    });
    return answers;
  }
}

/**
 * Of pipelined requests, Node gives the connection to one answer at a time, and lets the others know nothing of its end: whatever is
 * kept until their 'close' would be kept for ever.
 */
function closeUnassigned(response: ServerResponse): void {
  if (response.socket !== null || response.writableFinished) return;
  response.destroy();
  response.emit('close');
}
